import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { unsupportedRealmSettings, unsupportedUserSettings } from "../../shared/services/organization/unsupported.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * Checks that each setting of the initial state has a test that shows its effect, or is refused: none may be accepted
 * without an effect.
 */

const tests = join(import.meta.dirname, "..");
const sources = new Map(
  readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => [file, readFileSync(join(tests, file), "utf8")]),
);

/** Fields of the initial state with the prefix `realm_` that cannot be set by `PATCH /realm`. */
const readOnlyFields = new Set(
  `name url uri bot_domain date_created icon_url icon_source logo_url logo_source night_logo_url night_logo_source
  plan_type push_notifications_enabled push_notifications_enabled_end_timestamp is_zephyr_mirror_realm
  available_video_chat_providers default_external_accounts`.split(/\s+/),
);

/** Settings that are derived from others, whose tests cover them. */
const derivedSettings = new Map([
  ["email_auth_enabled", "password_auth_enabled"],
  ["mandatory_topics", "topics_policy"],
  ["allow_edit_history", "message_edit_history_visibility_policy"],
  ["wildcard_mention_policy", "can_mention_many_users_group"],
  ["create_public_stream_policy", "can_create_public_channel_group"],
  ["create_private_stream_policy", "can_create_private_channel_group"],
  ["create_web_public_stream_policy", "can_create_web_public_channel_group"],
]);

/**
 * The test of an organization setting's effect, if its title does not begin with the setting: the file and the beginning of the
 * title.
 */
const organizationTests: Record<string, [file: string, name: string]> = {
  can_access_all_users_group: ["users/limited-guests.test.ts", "members are never limited"],
  can_add_subscribers_group: [
    "channels/organization-settings.test.ts",
    "adding others needs the permission of the organization or",
  ],
  can_create_public_channel_group: [
    "channels/organization-settings.test.ts",
    "the organization's permissions decide who may create which",
  ],
  can_create_private_channel_group: [
    "channels/organization-settings.test.ts",
    "the organization's permissions decide who may create which",
  ],
  can_create_users_group: ["users/create-user.test.ts", "an administrator without the permission to create users"],
  can_set_topics_policy_group: [
    "channels/organization-settings.test.ts",
    "topic and deletion policies can only be set with permission",
  ],
  can_set_delete_message_policy_group: [
    "channels/organization-settings.test.ts",
    "topic and deletion policies can only be set with permission",
  ],
  second_factor_required_from: ["second-factors/required.test.ts", "from then on, whoever has none sets one up"],
  topics_policy: [
    "channels/organization-settings.test.ts",
    "each topics policy, inherited or not, decides which topics",
  ],
  upload_quota_mib: ["uploads/quota.test.ts", "no kind of upload by anyone can exceed the organization's quota"],
  new_stream_announcements_stream_id: [
    "channels/organization-settings.test.ts",
    "a new public channel is announced in the organization's",
  ],
  avatar_changes_disabled: [
    "uploads/quota.test.ts",
    "if avatar changes are disabled, only administrators can change theirs",
  ],
  require_unique_names: ["users/create-user.test.ts", "names are unique where the organization wants that"],
  enable_spectator_access: [
    "messages/fetch/spectators.test.ts",
    "spectators are refused if the organization does not allow them",
  ],
  description: ["organization/edit-organization.test.ts", "are all returned, and those that are not permissions"],
  org_type: ["organization/edit-organization.test.ts", "are all returned, and those that are not permissions"],
  enable_guest_user_dm_warning: [
    "organization/edit-organization.test.ts",
    "are all returned, and those that are not permissions",
  ],
  enable_guest_user_indicator: [
    "organization/edit-organization.test.ts",
    "are all returned, and those that are not permissions",
  ],
};

const mailSettings: [string, string] = [
  "missed-mail/send-missed-mail.test.ts",
  "settings for mentions, channels, topics and senders",
];
const mailContent: [string, string] = [
  "missed-mail/send-missed-mail.test.ts",
  "a mail omits content if the user's setting says so",
];
const pushSettings: [string, string] = [
  "mobile-push/push-message.test.ts",
  "an online user is notified only if their setting says so",
];
const visibilityTests = "messages/send/automatic-visibility.test.ts";
/** The test of a user setting's effect, in the same form. */
const userTests: Record<string, [file: string, name: string]> = {
  email_notifications_batching_period_seconds: [
    "missed-mail/send-missed-mail.test.ts",
    "missed messages are mailed, one mail",
  ],
  realm_name_in_email_notifications_policy: mailContent,
  message_content_in_email_notifications: mailContent,
  automatically_follow_topics_policy: [visibilityTests, "a sender follows no topic if the setting says never"],
  automatically_unmute_topics_in_muted_streams_policy: [
    visibilityTests,
    "a sender follows no topic if the setting says never",
  ],
  email_address_visibility: [
    "users/hidden-addresses.test.ts",
    "can be addressed by the real address only by users who may see it",
  ],
  timezone: ["settings/edit-settings.test.ts", "the time zone and the name are sent to everyone"],
  translate_emoticons: ["messages/render-message.test.ts", "emoticons that are separate words become emoji if the"],
  enable_followed_topic_email_notifications: mailSettings,
  enable_followed_topic_push_notifications: [
    "mobile-push/push-message.test.ts",
    "settings for the channel, topic or sender decide about notifications",
  ],
  enable_offline_email_notifications: mailSettings,
  enable_offline_push_notifications: pushSettings,
  enable_online_push_notifications: pushSettings,
  wildcard_mentions_notify: mailSettings,
  enable_followed_topic_wildcard_mentions_notify: mailSettings,
  presence_enabled: ["presence/update-presence.test.ts", "a user who stops sharing presence is offline, and their"],
  send_read_receipts: ["messages/get-read-receipts.test.ts", "read receipts omit users who turned them off and users"],
  allow_private_data_export: [
    "exports/get-export-consents.test.ts",
    "a deactivated user is not listed; a reactivated one keeps their consent",
  ],
};

/** Settings on which only clients act: the server stores them and sends them to all of the user's clients. */
const clientSettings = new Set(
  `twenty_four_hour_time web_mark_read_on_scroll_policy web_channel_default_view web_font_size_px
  web_line_height_percent color_scheme demote_inactive_streams user_list_style web_stream_unreads_count_display_policy
  desktop_icon_count_display web_home_view emojiset web_animate_image_previews notification_sound starred_message_counts
  web_suggest_update_timezone fluid_layout_width high_contrast_mode display_emoji_reaction_users
  web_escape_navigates_to_home_view left_side_userlist hide_ai_features web_left_sidebar_show_channel_folders
  web_left_sidebar_unreads_count_summary enter_sends enable_drafts_synchronization enable_desktop_notifications
  enable_sounds enable_followed_topic_desktop_notifications enable_followed_topic_audible_notifications
  pm_content_in_desktop_notifications web_navigate_to_sent_message default_language`.split(/\s+/),
);

/** Whether a file has a test whose title begins with this text. */
const hasTest = ([file, name]: [string, string]) => sources.get(file)?.includes(`"${name}`) === true;
/** Whether a test's title names the setting before its colon. */
const hasTestNamedAfter = (setting: string) =>
  [...sources].some(([, source]) => new RegExp(`test\\("(?:[a-z_0-9]+, )*${setting}(?:, [a-z_0-9]+)*: `).test(source));
/** The test that every setting is stored and returned, which is all that the server does with client settings. */
const storageTest: [string, string] = ["settings/edit-settings.test.ts", "every supported setting can be changed"];

let owner: Person;
let snapshot: Record<string, any>;
beforeAll(async () => {
  owner = await aPerson("Owner", { role: "owner" });
  snapshot = (await owner.call("POST", "/register", { event_types: ["realm", "user_settings"] })).body;
});
const settingsOfRealm = () =>
  Object.keys(snapshot).flatMap((field) => {
    const [, name = ""] = /^realm_(.*)/.exec(field) ?? [];
    return name !== "" && !readOnlyFields.has(name) ? [name] : [];
  });
const settingsOfUser = () =>
  Object.keys(snapshot.user_settings).filter(
    (name) => !["available_notification_sounds", "emojiset_choices"].includes(name),
  );

test("every organization setting has a test of its effect, or is refused", () => {
  const untested = settingsOfRealm().filter((name) => {
    const source = derivedSettings.get(name) ?? name;
    return (
      !unsupportedRealmSettings.has(source) &&
      !hasTestNamedAfter(source) &&
      !(organizationTests[source] && hasTest(organizationTests[source]))
    );
  });

  expect(settingsOfRealm().length).toBeGreaterThan(60);
  expect(untested).toEqual([]);
});

test("every user setting has a test of its effect, is for clients only, or is refused", () => {
  expect(hasTest(storageTest)).toBe(true);
  const untested = settingsOfUser().filter(
    (name) =>
      !unsupportedUserSettings.has(name) &&
      !clientSettings.has(name) &&
      !hasTestNamedAfter(name) &&
      !(userTests[name] && hasTest(userTests[name])),
  );

  expect(settingsOfUser().length).toBeGreaterThan(60);
  expect(untested).toEqual([]);
});

describe("a setting without effect", () => {
  const behaviour = readFileSync(join(tests, "../docs/behaviour.md"), "utf8");

  test("is returned, refused with any value, and documented", async () => {
    for (const name of unsupportedRealmSettings) {
      const before = snapshot[`realm_${name}`];
      expect([name, before]).not.toEqual([name, undefined]);
      const other =
        name.startsWith("can_") || name.startsWith("create_") ? { new: 3 } : typeof before === "boolean" ? !before : 1;
      for (const value of [other, ...(typeof other === "object" ? [] : [before])])
        expect([name, await owner.call("PATCH", "/realm", { [name]: value })]).toMatchObject([
          name,
          { status: 400, body: { code: "BAD_REQUEST", msg: `${name} is not supported by this server.` } },
        ]);
      expect(behaviour).toContain(`\`${name}\``);
    }
  });

  test("is also refused as a user setting and as a default for new users", async () => {
    for (const name of unsupportedUserSettings) {
      const value = snapshot.user_settings[name];
      for (const path of ["/settings", "/realm/user_settings_defaults"])
        expect([
          name,
          await owner.call("PATCH", path, { [name]: typeof value === "boolean" ? !value : value }),
        ]).toMatchObject([
          name,
          { status: 400, body: { code: "BAD_REQUEST", msg: `${name} is not supported by this server.` } },
        ]);
      expect(behaviour).toContain(`\`${name}\``);
    }
    const { body } = await owner.call("POST", "/register", { event_types: ["user_settings"] });
    expect(body.user_settings).toEqual(snapshot.user_settings);
  });

  test("is documented in one place only", () => {
    const listed = [...behaviour.matchAll(/^\| (`.*?`(?:, `.*?`)*) \|/gm)].flatMap(([, names = ""]) =>
      [...names.matchAll(/`(.*?)`/g)].map(([, name]) => name),
    );

    expect(listed.sort()).toEqual([...unsupportedRealmSettings, ...unsupportedUserSettings].sort());
  });
});
