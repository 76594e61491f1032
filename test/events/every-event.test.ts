import { expect, test } from "vitest";
import { describedEvents } from "../../infra/reference/events.ts";
import { nameOfEvent } from "../support/checks/events.ts";
import { multipart, png, upload } from "../support/files.ts";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Receives every event that the OpenAPI document describes, and validates it. */

/** Events that other cases cover, because they take a minute, a table of their own, or settings that all files share. */
const elsewhere = [
  "HeartbeatEvent",
  "PresenceEvent",
  "PushDeviceEvent",
  "RealmDeactivatedEvent",
  "RealmExportEvent",
  "RealmUserRemoveEvent",
  "RestartEvent",
  "UserGroupRemoveEvent",
  "WebReloadClientEvent",
];

const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
};

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;

async function done(person: Person, method: string, path: string, params: Record<string, unknown> = {}, options = {}) {
  const { body } = await person.call(method, path, params, options);
  expect(body, `${method} ${path}`).toMatchObject({ result: "success" });
  return body;
}

test("every documented event is received in some test case", async () => {
  const [prospero, miranda] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda", { role: "administrator" }),
  ]);
  const island = await aChannel("island", [prospero, miranda]);
  const listener = await listen(prospero, { client_capabilities: capabilities });
  const act = (method: string, path: string, params = {}) => done(prospero, method, path, params);

  // Messages.
  const id = await sendToChannel(prospero, island, "tempest", "We are such stuff");
  await act("PATCH", `/messages/${id}`, { content: "As dreams are made on" });
  await act("POST", `/messages/${id}/reactions`, { emoji_name: "smile" });
  await act("POST", "/messages/flags", { messages: [id], op: "add", flag: "starred" });
  await act("POST", "/submessage", { message_id: id, msg_type: "widget", content: "{}" });
  await done(miranda, "POST", "/typing", { type: "stream", op: "start", stream_id: island.id, topic: "tempest" });
  const hers = await sendToChannel(miranda, island, "tempest", "O brave new world");
  await done(miranda, "POST", `/messages/${hers}/typing`, { op: "start" });
  await act("DELETE", `/messages/${id}`);

  // The user's own data.
  const draft = { type: "private", to: [miranda.id], topic: "", content: "spells" };
  const [draftId] = (await act("POST", "/drafts", { drafts: [draft] })).ids;
  await act("PATCH", `/drafts/${draftId}`, { draft: { ...draft, content: "charms" } });
  await act("DELETE", `/drafts/${draftId}`);
  const reminder = { message_id: hers, scheduled_delivery_timestamp: tomorrow() };
  const { reminder_id } = await act("POST", "/reminders", reminder);
  await act("DELETE", `/reminders/${reminder_id}`);
  const letter = { type: "direct", to: [miranda.id], content: "Awake", scheduled_delivery_timestamp: tomorrow() };
  const { scheduled_message_id } = await act("POST", "/scheduled_messages", letter);
  await act("PATCH", `/scheduled_messages/${scheduled_message_id}`, { content: "Awake, dear heart" });
  await act("DELETE", `/scheduled_messages/${scheduled_message_id}`);
  const { saved_snippet_id } = await act("POST", "/saved_snippets", { title: "a", content: "b" });
  await act("PATCH", `/saved_snippets/${saved_snippet_id}`, { title: "c" });
  await act("DELETE", `/saved_snippets/${saved_snippet_id}`);
  await act("POST", "/navigation_views", { fragment: "narrow/is/alerted", is_pinned: true, name: "Alerts" });
  await act("PATCH", "/navigation_views/narrow/is/alerted", { is_pinned: false });
  await act("DELETE", "/navigation_views/narrow/is/alerted");
  await act("POST", "/users/me/onboarding_steps", { onboarding_step: "intro_resolve_topic" });
  await act("POST", `/users/me/muted_users/${miranda.id}`);
  await act("POST", "/user_topics", { stream_id: island.id, topic: "tempest", visibility_policy: 1 });
  await act("POST", "/users/me/alert_words", { alert_words: ["ariel"] });
  await act("PATCH", "/settings", { enter_sends: true });
  await act("POST", "/users/me/status", { status_text: "on the island" });
  await act("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: island.id, property: "pin_to_top", value: true }],
  });
  const file = await upload(prospero);
  const linking = await sendToChannel(prospero, island, "books", `[a book](${file})`);
  await act("DELETE", `/messages/${linking}`);

  // The organization.
  await done(miranda, "PATCH", "/settings", { allow_private_data_export: true, full_name: "Miranda M" });
  await act("PATCH", "/realm", { description: unique("An isle full of noises") });
  const credentials = { credentials: { email: prospero.email, apiKey: prospero.apiKey } };
  const emoji = `/realm/emoji/${unique("isle").replaceAll(/\W+/g, "_").toLowerCase()}`;
  await done(prospero, "POST", emoji, {}, { ...credentials, ...multipart([{ filename: "isle.png", content: png }]) });
  await act("DELETE", emoji);
  const filter = {
    pattern: `${unique("isle").replaceAll(/\W+/g, "")}-(?P<id>[0-9]+)`,
    url_template: "https://a.test/{id}",
  };
  const linkifier = await act("POST", "/realm/filters", filter);
  await act("DELETE", `/realm/filters/${linkifier.id}`);
  const language = { pygments_language: "Python", url_template: "https://a.test/{code}" };
  const playground = await act("POST", "/realm/playgrounds", { name: unique("isle").slice(0, 40), ...language });
  await act("DELETE", `/realm/playgrounds/${playground.id}`);
  const field = await act("POST", "/realm/profile_fields", { name: unique("isle").slice(0, 40), field_type: 1 });
  await act("DELETE", `/realm/profile_fields/${field.id}`);
  const domain = `${unique("isle").replaceAll(/\W+/g, "").toLowerCase()}.test`;
  await act("POST", "/realm/domains", { domain, allow_subdomains: false });
  await act("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  await act("DELETE", `/realm/domains/${domain}`);
  for (const web_navigate_to_sent_message of [false, true])
    await act("PATCH", "/realm/user_settings_defaults", { web_navigate_to_sent_message });
  await act("POST", "/invites/multiuse");
  const ferdinand = await aPerson("Ferdinand");
  const bot = await act("POST", "/bots", { full_name: "Ariel", short_name: unique("ariel").replaceAll(/\W+/g, "-") });
  await act("PATCH", `/bots/${bot.user_id}`, { full_name: "Ariel, a spirit" });

  // Channels.
  const { channel_folder_id } = await act("POST", "/channel_folders/create", { name: unique("isles") });
  await act("PATCH", `/channel_folders/${channel_folder_id}`, { description: "all isles" });
  const { channel_folders } = await done(prospero, "GET", "/channel_folders", { include_archived: true });
  await act("PATCH", "/channel_folders", { order: channel_folders.map((one: { id: number }) => one.id) });
  await act("PATCH", `/channel_folders/${channel_folder_id}`, { is_archived: true });
  const cell = await aChannel("cell", [miranda]);
  await act("PATCH", `/streams/${cell.id}`, { description: "poor" });
  await act("POST", "/users/me/subscriptions", { subscriptions: [{ name: cell.name }] });
  await done(miranda, "DELETE", "/users/me/subscriptions", { subscriptions: [cell.name] });
  await done(miranda, "POST", "/users/me/subscriptions", { subscriptions: [{ name: cell.name }] });
  await act("DELETE", "/users/me/subscriptions", { subscriptions: [cell.name] });
  await act("POST", "/default_streams", { stream_id: cell.id });
  await act("DELETE", "/default_streams", { stream_id: cell.id });
  const choice = { group_name: unique("isles"), description: "", stream_names: [cell.name] };
  await act("POST", "/default_stream_groups/create", choice);

  // Groups.
  const made = { name: unique("spirits"), description: "", members: [prospero.id] };
  const { group_id } = await act("POST", "/user_groups/create", made);
  const { group_id: inner } = await act("POST", "/user_groups/create", { ...made, name: unique("elves") });
  const group = `/user_groups/${group_id}`;
  await act("POST", `${group}/members`, { add: [ferdinand.id], delete: [prospero.id] });
  await act("POST", `${group}/subgroups`, { add: [inner] });
  await act("POST", `${group}/subgroups`, { delete: [inner] });
  await act("PATCH", group, { description: "of the isle" });

  // Private things disappear: a channel for users who are removed from it, a bot for its former owner.
  const caliban = await aPerson("Caliban");
  const spirit = await done(caliban, "POST", "/bots", {
    full_name: "Sprite",
    short_name: unique("sprite").replaceAll(/\W+/g, "-"),
  });
  const den = await aChannel("den", [caliban], { inviteOnly: true });
  const servant = await listen(caliban, { client_capabilities: capabilities });
  await done(miranda, "PATCH", `/bots/${spirit.user_id}`, { bot_owner_id: ferdinand.id });
  await done(caliban, "DELETE", "/users/me/subscriptions", { subscriptions: [den.name] });

  const described = new Set(describedEvents.map(({ name }) => name));
  const missing = () => {
    const received = new Set([...listener.received, ...servant.received].map(nameOfEvent));
    return [...described].filter((name) => !received.has(name) && !elsewhere.includes(name));
  };
  for (const end = Date.now() + 30_000; missing().length > 0 && Date.now() < end; )
    await Promise.all([listener.poll(), servant.poll()]);
  expect(missing()).toEqual([]);
  expect(elsewhere.filter((name) => !described.has(name))).toEqual([]);
}, 240_000);
