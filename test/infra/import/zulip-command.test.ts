import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Call, moveIn } from "./moving-in.ts";
import { theTempest } from "./zulip-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const { runImport, startHost, createOrganization } = moveIn("zulip-export-8hf2.tar.gz", theTempest(globe));

test("an export of Zulip takes the place of an unused organization, and its people find what they had", async () => {
  const users = [{ email: "miranda@milan.example", full_name: "M", role: "owner", password: "brave-new-world" }];
  await createOrganization({ name: "Anew", users, channels: [{ name: "general", is_default_stream: true }] });
  expect(await runImport("--dry-run")).toMatch(
    /6 {2}messages in channels[\s\S]*Nothing has been written\.\nThe organization Anew is replaced, with its settings and pictures\. miranda@milan\.example stays an owner\./,
  );
  expect(await runImport()).toContain("Milan has been imported. Start it: SKEIN_DATA=");

  const callAs = await startHost();
  const asProspero = await callAs("prospero@milan.example");
  const asMiranda = await callAs("miranda@milan.example");
  expect(
    await asMiranda("POST", "/fetch_api_key", { username: "miranda@milan.example", password: "brave-new-world" }),
  ).toMatchObject({ result: "success" });
  const asCaliban = await callAs("caliban@milan.example");

  const everything = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const { messages } = await asMiranda("GET", "/messages", everything);
  // Without that of the private channel from before she was subscribed.
  expect(messages.map(({ id, flags }: any) => [id, flags])).toEqual([
    ...[
      [1, ["read", "starred"]],
      [2, ["mentioned"]],
      [4, ["read"]],
      [5, []],
      [6, ["read"]],
      [7, ["read"]],
      [8, ["read", "has_alert_word"]],
    ],
  ]);
  expect(messages[0]).toMatchObject({
    ...{ client: "ZulipMobile", subject: "storms", display_recipient: "island", sender_full_name: "Miranda" },
    reactions: [{ emoji_name: "+1", user_id: 1 }, { user_id: 3 }, { emoji_name: "storm", user_id: 1 }],
  });
  expect(messages[2]).toMatchObject({
    content: "As @_**Prospero|1** [said](/#narrow/channel/1-island/topic/storms/near/2):",
    ...{ subject: "✔ storms", last_edit_timestamp: 1704111600 },
  });
  expect(messages[5]).toMatchObject({ sender_full_name: "Notification Bot" });
  expect(messages[5].content).toMatch(/^@_\*\*Prospero\|1\*\* moved this; also \/user_uploads\/1\/.*\/ship\.txt\.$/);
  expect(messages[6].submessages).toMatchObject([{ msg_type: "widget" }]);
  const { message_history } = await asMiranda("GET", "/messages/4/history");
  expect(message_history).toMatchObject([
    { topic: "storms", content: "As **he** said", user_id: 2 },
    { topic: "storms", prev_content: "As **he** said", user_id: 2 },
    { topic: "✔ storms", prev_topic: "storms", user_id: 1 },
  ]);

  const { topics } = await asMiranda("GET", "/users/me/1/topics");
  expect(topics).toEqual([
    { name: "storms", max_id: 7 },
    { name: "✔ storms", max_id: 4 },
  ]);
  const found = await asMiranda("GET", "/messages", {
    ...{ ...everything, narrow: [{ operator: "search", operand: "afeard" }] },
  });
  expect(found.messages).toMatchObject([{ id: 6, sender_full_name: "Caliban" }]);
  // A guest reads what is in their channels only.
  const ofCaliban = await asCaliban("GET", "/messages", everything);
  expect(ofCaliban.messages.map(({ id }: any) => id)).toEqual([1, 2, 4, 6, 7]);

  const state = await asCaliban("POST", "/register", {
    fetch_event_types: ["message", "update_message_flags", "realm", "realm_user", "realm_user_groups", "subscription"],
  });
  expect(state).toMatchObject({
    ...{ max_message_id: 8, realm_name: "Milan", realm_description: "A duchy" },
    unread_msgs: { count: 3 },
    realm_non_active_users: [{ full_name: "Antonio" }],
  });
  const spirits = state.realm_user_groups.find(({ name }: any) => name === "spirits");
  const islanders = state.realm_user_groups.find(({ name }: any) => name === "islanders");
  expect(spirits).toMatchObject({
    ...{ members: [2], creator_id: 1, can_manage_group: { direct_members: [2], direct_subgroups: [2] } },
  });
  expect(islanders).toMatchObject({ members: [3], direct_subgroup_ids: [spirits.id] });
  const { members } = await asProspero("GET", "/users");
  expect(members.map(({ user_id, role, is_active, is_bot }: any) => [user_id, role, is_active, is_bot]).sort()).toEqual(
    [
      ...[
        [1, 100, true, false],
        // The owner of the organization that was there.
        [2, 100, true, false],
        [3, 600, true, false],
        [4, 400, false, false],
      ],
      ...[5, 6, 7, 8, 9].map((id) => [id, 400, true, true]),
    ],
  );
  const { streams } = await asProspero("GET", "/streams", { include_all: true, exclude_archived: false });
  expect(streams).toMatchObject([
    { stream_id: 1, name: "island", rendered_description: "<p>About the <em>sea</em></p>", is_archived: false },
    { stream_id: 2, name: "plot", invite_only: true, history_public_to_subscribers: false },
    { stream_id: 3, name: "cave", is_archived: true },
  ]);
  await seesWhatSheHad(asMiranda);
  const sent = await asMiranda("POST", "/messages", {
    ...{ type: "channel", to: 1, topic: "news", content: "O brave new world" },
  });
  expect(sent.id).toBe(9);
}, 600_000);

/** What belongs to Miranda and to the organization besides channels and messages. */
async function seesWhatSheHad(asMiranda: Call): Promise<void> {
  const state = await asMiranda("POST", "/register", {
    client_capabilities: { notification_settings_null: true, linkifier_url_template: true },
  });
  expect(state.msg).toBe("");
  expect(state).toMatchObject({
    realm_linkifiers: [{ pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example/{id}" }],
    realm_playgrounds: [{ name: "Spells", pygments_language: "Python" }],
    realm_domains: [{ domain: "milan.example", allow_subdomains: true }],
    realm_user_settings_defaults: { color_scheme: 3 },
    ...{ realm_new_stream_announcements_stream_id: 1, realm_message_content_edit_limit_seconds: null },
    ...{ realm_can_invite_users_group: 4, realm_topics_policy: "disable_empty_topic", realm_icon_source: "U" },
    channel_folders: [{ id: 1, name: "Places", rendered_description: "<p>Where <em>we</em> are</p>", creator_id: 1 }],
    custom_profile_fields: [
      { id: 1, name: "Craft", type: 1 },
      { id: 2, name: "Mood", type: 3 },
      { id: 3, name: "Father", type: 6 },
    ],
    user_settings: { color_scheme: 2, email_address_visibility: 3 },
    user_topics: [{ stream_id: 1, topic_name: "storms", visibility_policy: 3 }],
    muted_users: [{ id: 3 }],
    alert_words: ["Naples"],
    user_status: { 2: { status_text: "asleep", emoji_name: "storm", emoji_code: "1", reaction_type: "realm_emoji" } },
    saved_snippets: [{ title: "Greeting", content: "Well met, @**Prospero|1**" }],
    navigation_views: [{ fragment: "narrow/channel/1-island", is_pinned: true, name: "The island" }],
    // By the time of their delivery.
    scheduled_messages: [
      { scheduled_message_id: 2, type: "private", to: [1], failed: true },
      {
        scheduled_message_id: 1,
        type: "stream",
        to: 1,
        topic: "later",
        rendered_content: "<p>I <em>will</em> come</p>",
      },
    ],
    reminders: [{ reminder_target_message_id: 1, content: "You requested a reminder for #**island>storms@1**." }],
    realm_default_stream_groups: [{ id: 1, name: "shores", streams: [] }],
    drafts: [{ type: "stream", to: [1], topic: "storms", content: "I might" }],
  });
  expect(state.onboarding_steps.map(({ name }: any) => name)).not.toContain("intro_inbox_view_modal");
  expect(state.subscriptions).toMatchObject([{ folder_id: 1, is_muted: true }, { folder_id: null }]);
  const { user } = await asMiranda("GET", "/users/2", { include_custom_profile_fields: true });
  expect(user).toMatchObject({
    avatar_url: expect.stringMatching(/^\/user_avatars\/1\/[0-9a-f]{40}\.png/),
    profile_data: { 1: { value: "**wonder**", rendered_value: "<p><strong>wonder</strong></p>" }, 3: { value: "[1]" } },
  });
  const bot = state.realm_bots.find(({ full_name }: any) => full_name === "Trinculo");
  expect(bot).toMatchObject({
    ...{ bot_type: 3, owner_id: 2, default_sending_stream: "island" },
    services: [{ base_url: "https://jester.example/", token: "t0", interface: 1 }],
  });
  const next = await asMiranda("POST", "/scheduled_messages", {
    ...{ type: "channel", to: 1, topic: "later", content: "again", scheduled_delivery_timestamp: 4_102_444_800 },
  });
  expect(next.scheduled_message_id).toBe(4);
}
