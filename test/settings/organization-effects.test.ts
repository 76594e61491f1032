import { beforeAll, expect, test } from "vitest";
import type { RealmSettings } from "../../shared/base/schema/organization-settings.ts";
import { administrators, everyone, fullMembers, nobody } from "../../shared/base/schema/system-groups.ts";
import { legacyMessage } from "../../shared/messaging/mobile-push/legacy.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { multipart, png } from "../support/files.ts";
import { mailsTo, skipBatchingPeriod } from "../support/mails.ts";
import { fetchMessage, fetchTopic, sendDirect, sendToChannel } from "../support/messages.ts";
import { withSettings } from "../support/organization.ts";
import { anAddress } from "../support/people.ts";
import { backdateMessage } from "../support/table/aging.ts";
import { unique } from "../support/unique.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

/**
 * The effects of the organization's settings. A test's name begins with the setting, by which every-setting.test.ts finds
 * it.
 */

const password = "fair-is-foul-and-foul-is-fair";
let owner: Person;
let admin: Person;
let ann: Person;
let ben: Person;
beforeAll(async () => {
  [owner, admin, ann, ben] = await Promise.all([
    aPerson("Duncan", { role: "owner" }),
    aPerson("Banquo", { role: "administrator" }),
    aPerson("Ann", { password }),
    aPerson("Ben"),
  ]);
});
const refusal = (msg: string | RegExp) => ({
  status: 400,
  body: { result: "error", msg: typeof msg === "string" ? msg : expect.stringMatching(msg) },
});
const insufficient = refusal("Insufficient permission");
const success = { status: 200, body: { result: "success" } };

/** Expects that `act` is refused with the settings, and succeeds without them. */
async function expectRefusedWith(
  settings: Partial<RealmSettings>,
  act: () => Promise<{ status: number; body: any }>,
  msg: string | RegExp,
) {
  await withSettings(settings, async () => expect(await act()).toMatchObject(refusal(msg)));
  expect(await act()).toMatchObject(success);
}

/** Creates a user as the administrator and logs in as this user. */
async function aNewcomer(email = anAddress("newcomer")) {
  const { body } = await admin.call("POST", "/users", { email, full_name: "Malcolm", password });
  expect(body).toMatchObject({ result: "success" });
  const key = (await call("POST", "/fetch_api_key", { username: email, password })).body;
  const credentials = { email: key.email, apiKey: key.api_key };
  return {
    id: body.user_id as number,
    call: (method: string, path: string, params = {}) => call(method, path, params, { credentials }),
  };
}

test("can_add_custom_emoji_group: who may add emoji", async () => {
  const add = () =>
    ann.call(
      "POST",
      `/realm/emoji/${unique("dagger").replaceAll(" ", "_").toLowerCase()}`,
      {},
      {
        credentials: ann,
        ...multipart([{ name: "file", filename: "a.png", content: png }]),
      },
    );
  await expectRefusedWith({ can_add_custom_emoji_group: nobody }, add, "Insufficient permission");
});

test("can_create_bots_group, can_create_write_only_bots_group: who may create which bots", async () => {
  const create = (bot_type: number) =>
    ann.call("POST", "/bots", { full_name: "Witch", short_name: unique("witch").replaceAll(" ", "-"), bot_type });
  await withSettings({ can_create_bots_group: nobody }, async () => {
    expect((await create(1)).status).toBe(400);
    expect(await create(2)).toMatchObject(success);
  });
  await withSettings({ can_create_bots_group: nobody, can_create_write_only_bots_group: nobody }, async () => {
    expect((await create(2)).status).toBe(400);
  });
});

test("can_connect_agents_group: who may create keys of agents", async () => {
  const create = () => ann.call("POST", "/agent_keys", { name: "Familiar" });
  await expectRefusedWith({ can_connect_agents_group: nobody }, create, "Insufficient permission");
});

test("can_create_groups: who may create groups", async () => {
  const create = () =>
    ann.call("POST", "/user_groups/create", { name: unique("thanes"), description: "", members: [ann.id] });
  await expectRefusedWith({ can_create_groups: nobody }, create, "Insufficient permission");
});

test("can_manage_all_groups: who may change groups of others", async () => {
  const { group_id } = (
    await ann.call("POST", "/user_groups/create", { name: unique("thanes"), description: "", members: [ann.id] })
  ).body;
  const rename = () => admin.call("PATCH", `/user_groups/${group_id}`, { name: unique("thanes") });
  expect(await rename()).toMatchObject(insufficient);
  await withSettings({ can_manage_all_groups: administrators }, async () =>
    expect(await rename()).toMatchObject(success),
  );
});

test("can_invite_users_group: whose snapshot says that they may invite others", async () => {
  const canInvite = async () =>
    (await ann.call("POST", "/register", { event_types: ["realm_user"] })).body.can_invite_others_to_realm;
  await withSettings({ can_invite_users_group: nobody }, async () => expect(await canInvite()).toBe(false));
  expect(await canInvite()).toBe(true);
});

test("can_move_messages_between_channels_group: who may move messages to another channel", async () => {
  const [heath, castle] = [await aChannel("heath", [ann, ben]), await aChannel("castle", [ann, ben])];
  const id = await sendToChannel(ann, heath, "weather");
  const move = () =>
    ann.call("PATCH", `/messages/${id}`, { stream_id: castle.id, send_notification_to_new_thread: false });
  await expectRefusedWith({ can_move_messages_between_channels_group: nobody }, move, /permission/);
});

test("can_move_messages_between_topics_group: who may move messages to another topic", async () => {
  const heath = await aChannel("heath", [ann, ben]);
  const id = await sendToChannel(ann, heath, "weather");
  const move = () => ben.call("PATCH", `/messages/${id}`, { topic: "witches", send_notification_to_new_thread: false });
  await expectRefusedWith({ can_move_messages_between_topics_group: nobody }, move, /permission/);
});

test("can_resolve_topics_group: who may resolve topics", async () => {
  const heath = await aChannel("heath", [ann, ben]);
  const id = await sendToChannel(ann, heath, "weather");
  const resolve = () => ben.call("PATCH", `/messages/${id}`, { topic: "✔ weather", propagate_mode: "change_all" });
  await expectRefusedWith(
    { can_resolve_topics_group: nobody, can_move_messages_between_topics_group: nobody },
    resolve,
    /permission/,
  );
});

test("can_create_web_public_channel_group: who may create web-public channels", async () => {
  const create = () =>
    owner.call("POST", "/channels/create", { name: unique("field"), subscribers: [], is_web_public: true });
  await withSettings({ enable_spectator_access: true }, async () => {
    await expectRefusedWith({ can_create_web_public_channel_group: nobody }, create, "Insufficient permission");
  });
});

test("can_mention_many_users_group: who may mention everybody in a large channel", async () => {
  const crowd = await Promise.all(Array.from({ length: 16 }, (_, index) => aPerson(`Soldier ${index}`)));
  const wood = await aChannel("birnam", [ann, ...crowd]);
  const mentionAll = () =>
    ann.call("POST", "/messages", { type: "channel", to: wood.id, topic: "t", content: "@**all**" });
  await withSettings({ can_mention_many_users_group: everyone }, async () =>
    expect(await mentionAll()).toMatchObject(success),
  );
  expect(await mentionAll()).toMatchObject({ status: 400, body: { code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED" } });
  const { body } = await ann.call("POST", "/register", { event_types: ["realm"] });
  // In the older setting 5 means administrators, the default of the permission.
  expect(body.realm_wildcard_mention_policy).toBe(5);
});

test("can_delete_own_message_group, can_delete_any_message_group: who may delete messages", async () => {
  const heath = await aChannel("heath", [ann, admin]);
  const [own, other] = [await sendToChannel(ann, heath, "weather"), await sendToChannel(ann, heath, "weather")];
  await expectRefusedWith(
    { can_delete_own_message_group: nobody },
    () => ann.call("DELETE", `/messages/${own}`),
    "You don't have permission to delete this message",
  );
  await expectRefusedWith(
    { can_delete_any_message_group: nobody },
    () => admin.call("DELETE", `/messages/${other}`),
    "You don't have permission to delete this message",
  );
});

test("direct_message_initiator_group, direct_message_permission_group: who may send direct messages", async () => {
  const stranger = await aPerson("Macduff");
  const write = (to: Person) => ann.call("POST", "/messages", { type: "direct", to: [to.id], content: "hail" });
  await expectRefusedWith(
    { direct_message_permission_group: nobody },
    () => write(ben),
    "Direct messages are disabled in this organization.",
  );
  await withSettings({ direct_message_initiator_group: nobody }, async () => {
    expect(await write(stranger)).toMatchObject(
      refusal("You do not have permission to initiate direct message conversations."),
    );
    expect(await write(ben)).toMatchObject(success);
  });
});

test("default_language: the language of new users", async () => {
  await withSettings({ default_language: "de" }, async () => {
    const newcomer = await aNewcomer();
    const { user_settings } = (await newcomer.call("POST", "/register", { event_types: ["user_settings"] })).body;
    expect(user_settings.default_language).toBe("de");
  });
});

test("default_code_block_language: the language of code blocks without one", async () => {
  const render = async () =>
    (await ann.call("POST", "/messages/render", { content: "```\nx = 1\n```" })).body.rendered as string;
  await withSettings({ default_code_block_language: "python" }, async () =>
    expect(await render()).toContain('data-code-language="Python"'),
  );
  expect(await render()).not.toContain("data-code-language");
});

test("welcome_message_custom_text: Welcome Bot's message to new users", async () => {
  const text = "Double, **double**";
  const sendTestMessage = () =>
    admin.call("POST", "/realm/test_welcome_bot_custom_message", { welcome_message_custom_text: text });
  const { message_id } = (await sendTestMessage()).body;
  expect(await fetchMessage(admin, message_id)).toMatchObject({ sender_full_name: "Welcome Bot", content: text });
  expect((await ann.call("POST", "/realm/test_welcome_bot_custom_message")).body.code).toBe("UNAUTHORIZED_PRINCIPAL");

  const messagesToNewcomer = async () => {
    const newcomer = await aNewcomer();
    const range = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
    return (await newcomer.call("GET", "/messages", { ...range, narrow: [["is", "dm"]] })).body.messages;
  };
  await withSettings({ welcome_message_custom_text: text }, async () => {
    expect(await messagesToNewcomer()).toMatchObject([{ sender_full_name: "Welcome Bot", content: text }]);
  });
  expect(await messagesToNewcomer()).toMatchObject([
    { sender_full_name: "Welcome Bot", content: expect.stringContaining("Hello, and welcome to"), flags: [] },
  ]);
});

test("signup_announcements_stream_id: where new users are announced", async () => {
  const hall = await aChannel("hall", [ann]);
  await withSettings({ signup_announcements_stream_id: hall.id }, async () => {
    const { id } = await aNewcomer();
    expect(await fetchTopic(ann, hall, "signups")).toMatchObject([
      { sender_full_name: "Notification Bot", content: `@_**Malcolm|${id}** joined this organization.` },
    ]);
  });
});

test("moderation_request_channel_id: the channel that receives reports of messages", async () => {
  const [court, heath] = [await aChannel("court", [admin], { inviteOnly: true }), await aChannel("heath", [ann, ben])];
  const id = await sendToChannel(ben, heath, "weather", "So ```foul```");
  const report = (params: Record<string, unknown>, who = ann) => who.call("POST", `/messages/${id}/report`, params);
  expect(await report({ report_type: "spam" })).toMatchObject(
    refusal("Moderation request channel must be specified to enable message reporting."),
  );
  await withSettings({ moderation_request_channel_id: court.id }, async () => {
    expect(await report({ report_type: "other" })).toMatchObject(refusal("An explanation is required."));
    expect(await report({ report_type: "treason" })).toMatchObject(refusal("Invalid report_type"));
    expect(await report({ report_type: "norms", description: "He is\n````\nrude" })).toMatchObject(success);
    const outsider = await aPerson("Porter");
    const secret = await sendDirect(ann, [ben]);
    expect(await outsider.call("POST", `/messages/${secret}/report`, { report_type: "spam" })).toMatchObject(
      refusal("Invalid message(s)"),
    );
  });
  const received = await fetchTopic(admin, court, "Ben's moderation requests");
  expect(received).toHaveLength(1);
  expect(received[0].content).toContain(`@_**Ann|${ann.id}** reported [a message](#narrow/channel/${heath.id}`);
  expect(received[0].content).toContain("- Reason: **Violates community norms**");
  expect(received[0].content).toContain("`````quote\nHe is\n````\nrude\n````\n`````");
  expect(received[0].content).toContain("So ```foul```");
});

test("empty_topic_display_name: the displayed name of the empty topic", async () => {
  const heath = await aChannel("heath", [ann]);
  const id = await sendToChannel(ann, heath, "");
  await withSettings({ empty_topic_display_name: "the pit" }, async () =>
    expect((await fetchMessage(ann, id, heath)).subject).toBe("the pit"),
  );
});

test("message_edit_history_visibility_policy: how much of the edit history is visible", async () => {
  const heath = await aChannel("heath", [ann]);
  const id = await sendToChannel(ann, heath, "weather", "fair");
  await ann.do("PATCH", `/messages/${id}`, { content: "foul" });
  await ann.do("PATCH", `/messages/${id}`, { topic: "witches", send_notification_to_new_thread: false });
  const history = async () => (await fetchMessage(ann, id, heath)).edit_history;
  expect(await history()).toHaveLength(2);
  await withSettings({ message_edit_history_visibility_policy: "moves" }, async () =>
    expect(await history()).toMatchObject([{ prev_topic: "weather" }]),
  );
  await withSettings({ message_edit_history_visibility_policy: "none" }, async () => {
    expect(await history()).toBeUndefined();
    const { body } = await ann.call("POST", "/register", { event_types: ["realm"] });
    expect(body.realm_allow_edit_history).toBe(false);
  });
});

test("message_content_edit_limit_seconds, message_content_delete_limit_seconds: how long a message may be edited or deleted", async () => {
  const id = await sendDirect(ann, [ben]);
  await backdateMessage(id, 300);
  await expectRefusedWith(
    { message_content_edit_limit_seconds: 60 },
    () => ann.call("PATCH", `/messages/${id}`, { content: unique("late") }),
    // Zulip's wording, grammatical mistake included.
    "The time limit for editing this message has past",
  );
  await expectRefusedWith(
    { message_content_delete_limit_seconds: 60 },
    () => ann.call("DELETE", `/messages/${id}`),
    "The time limit for deleting this message has passed",
  );
});

test("move_messages_within_stream_limit_seconds, move_messages_between_streams_limit_seconds: how long a message may be moved", async () => {
  const [heath, castle] = [await aChannel("heath", [ann, ben]), await aChannel("castle", [ann, ben])];
  const quietly = { send_notification_to_new_thread: false };
  const [first, second] = [await sendToChannel(ben, heath, "weather"), await sendToChannel(ben, heath, "weather")];
  await backdateMessage(first, 300);
  await backdateMessage(second, 300);
  await expectRefusedWith(
    { move_messages_within_stream_limit_seconds: 60 },
    () => ann.call("PATCH", `/messages/${first}`, { topic: "witches", ...quietly }),
    /time limit/,
  );
  await expectRefusedWith(
    { move_messages_between_streams_limit_seconds: 60 },
    () => ann.call("PATCH", `/messages/${second}`, { stream_id: castle.id, ...quietly }),
    /time limit/,
  );
});

test("allow_message_editing: whether messages may be edited", async () => {
  const id = await sendDirect(ann, [ben]);
  await expectRefusedWith(
    { allow_message_editing: false },
    () => ann.call("PATCH", `/messages/${id}`, { content: "edited" }),
    "Your organization has turned off message editing",
  );
});

test("waiting_period_threshold: after how many days a member becomes a full member", async () => {
  const create = () =>
    ann.call("POST", "/user_groups/create", { name: unique("thanes"), description: "", members: [] });
  await withSettings({ can_create_groups: fullMembers, waiting_period_threshold: 3 }, async () =>
    expect(await create()).toMatchObject(insufficient),
  );
  await withSettings({ can_create_groups: fullMembers }, async () => expect(await create()).toMatchObject(success));
});

test("enable_read_receipts: whether read receipts are available", async () => {
  const id = await sendDirect(ann, [ben]);
  await expectRefusedWith(
    { enable_read_receipts: false },
    () => ann.call("GET", `/messages/${id}/read_receipts`),
    "Read receipts are disabled in this organization.",
  );
});

test("inline_image_preview: whether linked pictures have previews", async () => {
  const sent = await ann.call(
    "POST",
    "/user_uploads",
    {},
    { credentials: ann, ...multipart([{ filename: "a.png", content: png }]) },
  );
  const render = async () =>
    (await ann.call("POST", "/messages/render", { content: `[a](${sent.body.url})` })).body.rendered as string;
  expect(await render()).toContain("message_inline_image");
  await withSettings({ inline_image_preview: false }, async () => {
    expect(await render()).not.toContain("message_inline_image");
  });
});

test("emails_restricted_to_domains: whether only addresses of the organization's domains are allowed", async () => {
  const domain = `${unique("dunsinane").replace(/\W+/g, "-").toLowerCase()}.test`;
  const create = (email: string) => admin.call("POST", "/users", { email, full_name: "Malcolm", password });
  expect(await owner.call("POST", "/realm/domains", { domain, allow_subdomains: false })).toMatchObject(success);
  try {
    await withSettings({ emails_restricted_to_domains: true }, async () => {
      expect(await create(anAddress())).toMatchObject(refusal(/not allowed in this organization$/));
      expect(await create(`a@sub.${domain}`)).toMatchObject(refusal(/not allowed/));
      expect(await create(`a@${domain}`)).toMatchObject(success);
      await owner.do("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
      expect(await create(`a@sub.${domain}`)).toMatchObject(success);
    });
  } finally {
    await owner.do("DELETE", `/realm/domains/${domain}`);
  }
});

test("email_changes_disabled, name_changes_disabled: whether users can change their address and name", async () => {
  await expectRefusedWith(
    { email_changes_disabled: true },
    () => ben.call("PATCH", "/settings", { email: ben.email.toUpperCase() }),
    "Email address changes are disabled in this organization.",
  );
  await expectRefusedWith(
    { name_changes_disabled: true },
    () => ben.call("PATCH", "/settings", { full_name: "Fleance" }),
    "Name changes are disabled in this organization.",
  );
});

test("disallow_disposable_email_addresses: whether disposable addresses are refused", async () => {
  const setting = { disallow_disposable_email_addresses: true };
  const disposableAddress = () => `${anAddress("hecate").split("@")[0]}@Cave.Mailinator.com`;
  const create = () => admin.call("POST", "/users", { email: disposableAddress(), full_name: "Hecate", password });
  const changeAddress = () => ben.call("PATCH", "/settings", { email: disposableAddress() });
  const msg = "Disposable email addresses are not allowed in this organization";
  await withSettings({ disallow_disposable_email_addresses: false }, async () => {
    await expectRefusedWith(setting, create, msg);
    await expectRefusedWith(setting, changeAddress, msg);
  });

  expect(await create()).toMatchObject(refusal(msg));
  await aNewcomer();
  // With restricted domains, the listed ones are allowed even if they are disposable.
  const domain = { domain: "mailinator.com", allow_subdomains: true };
  expect(await owner.call("POST", "/realm/domains", domain)).toMatchObject(success);
  await withSettings({ ...setting, emails_restricted_to_domains: true }, async () =>
    expect(await create()).toMatchObject(success),
  );
  await owner.do("DELETE", "/realm/domains/mailinator.com");
});

test("require_e2ee_push_notifications: whether unencrypted notifications omit the content", async () => {
  const payload = {
    message_id: 1,
    time: 1,
    content: "by the pricking of my thumbs",
    sender_id: 2,
    sender_full_name: "Witch",
    sender_avatar_url: "",
    sender_email: "witch@globe.test",
    recipient_type: "direct",
  } as const;
  const realm = await loadRealm();
  const notificationWith = (settings: Partial<RealmSettings>) =>
    JSON.stringify(legacyMessage({ ...realm, settings: { ...realm.settings, ...settings } }, 3, payload));

  expect(notificationWith({})).toContain(payload.content);
  expect(notificationWith({ require_e2ee_push_notifications: true })).not.toContain(payload.content);
  expect(notificationWith({ require_e2ee_push_notifications: true })).toContain("New message");
});

test("presence_disabled: whether presence is hidden", async () => {
  await ann.do("POST", "/users/me/presence", { status: "active", last_update_id: -1 });
  const presences = async () =>
    (await ben.call("POST", "/users/me/presence", { status: "active", last_update_id: -1 })).body.presences;
  expect(await presences()).toHaveProperty(String(ann.id));
  await withSettings({ presence_disabled: true }, async () => expect(await presences()).toEqual({}));
});

test("password_auth_enabled, authentication_methods: whether users can log in by password", async () => {
  const login = () => call("POST", "/fetch_api_key", { username: ann.email, password });
  const methods = (authentication_methods: Record<string, boolean>, who = owner) =>
    who.call("PATCH", "/realm", { authentication_methods });
  expect(await methods({ Email: false }, admin)).toMatchObject({ body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await methods({ Email: true, LDAP: true })).toMatchObject(refusal(/LDAP is not supported/));
  expect(await methods({ Email: false })).toMatchObject(success);
  try {
    expect(await login()).toMatchObject({ status: 401, body: { code: "PASSWORD_AUTH_DISABLED" } });
    const { body } = await ann.call("POST", "/register", { event_types: ["realm"] });
    expect(body).toMatchObject({
      realm_password_auth_enabled: false,
      realm_email_auth_enabled: false,
      realm_authentication_methods: { Email: { enabled: false } },
    });
  } finally {
    await methods({ Email: true });
  }
  expect(await login()).toMatchObject(success);
});

test("video_chat_provider, jitsi_server_url: the server for call links", async () => {
  const snapshot = async () => (await ann.call("POST", "/register", { event_types: ["realm"] })).body;
  expect(await snapshot()).toMatchObject({
    realm_video_chat_provider: 0,
    realm_jitsi_server_url: null,
    realm_available_video_chat_providers: { disabled: { id: 0 }, jitsi_meet: { id: 1 } },
    server_jitsi_server_url: expect.stringMatching(/^https:/),
  });
  await withSettings({ video_chat_provider: 1 }, async () => {
    const set = (jitsi_server_url: string) => admin.call("PATCH", "/realm", { jitsi_server_url });
    expect(await set("https://calls.globe.test")).toMatchObject(success);
    expect(await snapshot()).toMatchObject({
      realm_video_chat_provider: 1,
      realm_jitsi_server_url: "https://calls.globe.test",
      jitsi_server_url: "https://calls.globe.test",
    });
    expect(await set("javascript:alert(1)")).toMatchObject(refusal("jitsi_server_url is not a URL"));
    expect(await set("default")).toMatchObject(success);
    expect(await snapshot()).toMatchObject({ realm_jitsi_server_url: null });
  });
  expect(await admin.call("PATCH", "/realm", { video_chat_provider: 3 })).toMatchObject(
    refusal("Invalid video_chat_provider"),
  );
});

test("realm_user_settings_defaults: the settings of new users", async () => {
  const change = (params: Record<string, unknown>, who = admin) =>
    who.call("PATCH", "/realm/user_settings_defaults", params);
  expect(await change({ enter_sends: true }, ann)).toMatchObject({ body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await change({ color_scheme: 9 })).toMatchObject(refusal("Invalid color_scheme"));
  expect((await change({ enable_login_emails: true })).body).toMatchObject({
    result: "success",
    ignored_parameters_unsupported: ["enable_login_emails"],
  });
  expect(await change({ enter_sends: true, color_scheme: 2 })).toMatchObject(success);
  try {
    const newcomer = await aNewcomer();
    const types = ["user_settings", "realm_user_settings_defaults"];
    const { body } = await newcomer.call("POST", "/register", { event_types: types });
    expect(body.realm_user_settings_defaults).toMatchObject({ enter_sends: true, color_scheme: 2 });
    expect(body.user_settings).toMatchObject({
      enter_sends: true,
      color_scheme: 2,
      default_language: "en",
      enable_login_emails: false,
    });
  } finally {
    await change({ enter_sends: false, color_scheme: 1 });
  }
});

test("message_retention_days: when messages expire", async () => {
  const id = await sendDirect(ann, [ben]);
  await backdateMessage(id, 40 * 86_400);
  expect(await fetchMessage(ann, id)).toMatchObject({ id });
  await withSettings({ message_retention_days: 30 }, async () => expect(await fetchMessage(ann, id)).toBeUndefined());
});

test("message_content_allowed_in_email_notifications: whether mail has message content", async () => {
  const reader = await aPerson("Lady");
  await reader.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
  await withSettings({ message_content_allowed_in_email_notifications: false }, async () => {
    const id = await sendDirect(ann, [reader], "Out, damned spot");
    await skipBatchingPeriod(reader.id, [id]);
    const [mail] = await eventually(async () => {
      const mails = await mailsTo(reader.email);
      return mails.length > 0 && mails;
    });
    expect(mail?.text).not.toContain("damned spot");
    expect(mail?.html).not.toContain("damned spot");
  });
});
