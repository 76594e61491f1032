import { expect, test } from "vitest";
import { describedEvents } from "../../infra/reference/events.ts";
import { nameOfEvent } from "../support/checks/events.ts";
import { multipart, png, upload } from "../support/files.ts";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Receives every event that the OpenAPI document describes, and validates it. */

/** Events that other test cases cover, because they need a minute, a table of their own, or settings that all files share. */
const coveredElsewhere = [
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

async function callSuccessfully(
  person: Person,
  method: string,
  path: string,
  params: Record<string, unknown> = {},
  options = {},
) {
  const { body } = await person.call(method, path, params, options);
  expect(body, `${method} ${path}`).toMatchObject({ result: "success" });
  return body;
}

test("every documented event that no other test case covers is received", async () => {
  const [prospero, miranda] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda", { role: "administrator" }),
  ]);
  const island = await aChannel("island", [prospero, miranda]);
  const listener = await listen(prospero, { client_capabilities: capabilities });
  const callAsProspero = (method: string, path: string, params = {}) =>
    callSuccessfully(prospero, method, path, params);

  // Messages.
  const id = await sendToChannel(prospero, island, "tempest", "We are such stuff");
  await callAsProspero("PATCH", `/messages/${id}`, { content: "As dreams are made on" });
  await callAsProspero("POST", `/messages/${id}/reactions`, { emoji_name: "smile" });
  await callAsProspero("POST", "/messages/flags", { messages: [id], op: "add", flag: "starred" });
  await callAsProspero("POST", "/submessage", { message_id: id, msg_type: "spell", content: "{}" });
  await callSuccessfully(miranda, "POST", "/typing", {
    type: "stream",
    op: "start",
    stream_id: island.id,
    topic: "tempest",
  });
  const mirandasMessageId = await sendToChannel(miranda, island, "tempest", "O brave new world");
  await callSuccessfully(miranda, "POST", `/messages/${mirandasMessageId}/typing`, { op: "start" });
  await callAsProspero("DELETE", `/messages/${id}`);

  // The user's own data.
  const draft = { type: "private", to: [miranda.id], topic: "", content: "spells" };
  const [draftId] = (await callAsProspero("POST", "/drafts", { drafts: [draft] })).ids;
  await callAsProspero("PATCH", `/drafts/${draftId}`, { draft: { ...draft, content: "charms" } });
  await callAsProspero("DELETE", `/drafts/${draftId}`);
  const reminder = { message_id: mirandasMessageId, scheduled_delivery_timestamp: tomorrow() };
  const { reminder_id } = await callAsProspero("POST", "/reminders", reminder);
  await callAsProspero("DELETE", `/reminders/${reminder_id}`);
  const directMessage = {
    type: "direct",
    to: [miranda.id],
    content: "Awake",
    scheduled_delivery_timestamp: tomorrow(),
  };
  const { scheduled_message_id } = await callAsProspero("POST", "/scheduled_messages", directMessage);
  await callAsProspero("PATCH", `/scheduled_messages/${scheduled_message_id}`, { content: "Awake, dear heart" });
  await callAsProspero("DELETE", `/scheduled_messages/${scheduled_message_id}`);
  const { saved_snippet_id } = await callAsProspero("POST", "/saved_snippets", { title: "a", content: "b" });
  await callAsProspero("PATCH", `/saved_snippets/${saved_snippet_id}`, { title: "c" });
  await callAsProspero("DELETE", `/saved_snippets/${saved_snippet_id}`);
  await callAsProspero("POST", "/navigation_views", { fragment: "narrow/is/alerted", is_pinned: true, name: "Alerts" });
  await callAsProspero("PATCH", "/navigation_views/narrow/is/alerted", { is_pinned: false });
  await callAsProspero("DELETE", "/navigation_views/narrow/is/alerted");
  await callAsProspero("POST", "/users/me/onboarding_steps", { onboarding_step: "intro_resolve_topic" });
  await callAsProspero("POST", `/users/me/muted_users/${miranda.id}`);
  await callAsProspero("POST", "/user_topics", { stream_id: island.id, topic: "tempest", visibility_policy: 1 });
  await callAsProspero("POST", "/users/me/alert_words", { alert_words: ["ariel"] });
  await callAsProspero("PATCH", "/settings", { enter_sends: true });
  await callAsProspero("POST", "/users/me/status", { status_text: "on the island" });
  await callAsProspero("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: island.id, property: "pin_to_top", value: true }],
  });
  const file = await upload(prospero);
  const linkingMessageId = await sendToChannel(prospero, island, "books", `[a book](${file})`);
  await callAsProspero("DELETE", `/messages/${linkingMessageId}`);

  // The organization.
  await callSuccessfully(miranda, "PATCH", "/settings", { allow_private_data_export: true, full_name: "Miranda M" });
  await callAsProspero("PATCH", "/realm", { description: unique("An isle full of noises") });
  // Another file looks at the settings of a new organization.
  await callAsProspero("PATCH", "/realm", { description: "" });
  const credentials = { credentials: { email: prospero.email, apiKey: prospero.apiKey } };
  const emoji = `/realm/emoji/${unique("isle").replaceAll(/\W+/g, "_").toLowerCase()}`;
  await callSuccessfully(
    prospero,
    "POST",
    emoji,
    {},
    { ...credentials, ...multipart([{ filename: "isle.png", content: png }]) },
  );
  await callAsProspero("DELETE", emoji);
  const filter = {
    pattern: `${unique("isle").replaceAll(/\W+/g, "")}-(?P<id>[0-9]+)`,
    url_template: "https://a.test/{id}",
  };
  const linkifier = await callAsProspero("POST", "/realm/filters", filter);
  await callAsProspero("DELETE", `/realm/filters/${linkifier.id}`);
  const language = { pygments_language: "Python", url_template: "https://a.test/{code}" };
  const playground = await callAsProspero("POST", "/realm/playgrounds", {
    name: unique("isle").slice(0, 40),
    ...language,
  });
  await callAsProspero("DELETE", `/realm/playgrounds/${playground.id}`);
  const field = await callAsProspero("POST", "/realm/profile_fields", {
    name: unique("isle").slice(0, 40),
    field_type: 1,
  });
  await callAsProspero("DELETE", `/realm/profile_fields/${field.id}`);
  const domain = `${unique("isle").replaceAll(/\W+/g, "").toLowerCase()}.test`;
  await callAsProspero("POST", "/realm/domains", { domain, allow_subdomains: false });
  await callAsProspero("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  await callAsProspero("DELETE", `/realm/domains/${domain}`);
  for (const web_navigate_to_sent_message of [false, true])
    await callAsProspero("PATCH", "/realm/user_settings_defaults", { web_navigate_to_sent_message });
  await callAsProspero("POST", "/invites/multiuse");
  const ferdinand = await aPerson("Ferdinand");
  const bot = await callAsProspero("POST", "/bots", {
    full_name: "Ariel",
    short_name: unique("ariel").replaceAll(/\W+/g, "-"),
  });
  await callAsProspero("PATCH", `/bots/${bot.user_id}`, { full_name: "Ariel, a spirit" });

  // Channels.
  const { channel_folder_id } = await callAsProspero("POST", "/channel_folders/create", { name: unique("isles") });
  await callAsProspero("PATCH", `/channel_folders/${channel_folder_id}`, { description: "all isles" });
  const { channel_folders } = await callSuccessfully(prospero, "GET", "/channel_folders", { include_archived: true });
  await callAsProspero("PATCH", "/channel_folders", {
    order: channel_folders.map((folder: { id: number }) => folder.id),
  });
  await callAsProspero("PATCH", `/channel_folders/${channel_folder_id}`, { is_archived: true });
  const cell = await aChannel("cell", [miranda]);
  await callAsProspero("PATCH", `/streams/${cell.id}`, { description: "poor" });
  await callAsProspero("POST", "/users/me/subscriptions", { subscriptions: [{ name: cell.name }] });
  await callSuccessfully(miranda, "DELETE", "/users/me/subscriptions", { subscriptions: [cell.name] });
  await callSuccessfully(miranda, "POST", "/users/me/subscriptions", { subscriptions: [{ name: cell.name }] });
  await callAsProspero("DELETE", "/users/me/subscriptions", { subscriptions: [cell.name] });
  await callAsProspero("POST", "/default_streams", { stream_id: cell.id });
  await callAsProspero("DELETE", "/default_streams", { stream_id: cell.id });
  const defaultGroup = { group_name: unique("isles"), description: "", stream_names: [cell.name] };
  await callAsProspero("POST", "/default_stream_groups/create", defaultGroup);

  // Groups.
  const newGroup = { name: unique("spirits"), description: "", members: [prospero.id] };
  const { group_id } = await callAsProspero("POST", "/user_groups/create", newGroup);
  const { group_id: inner } = await callAsProspero("POST", "/user_groups/create", {
    ...newGroup,
    name: unique("elves"),
  });
  const group = `/user_groups/${group_id}`;
  await callAsProspero("POST", `${group}/members`, { add: [ferdinand.id], delete: [prospero.id] });
  await callAsProspero("POST", `${group}/subgroups`, { add: [inner] });
  await callAsProspero("POST", `${group}/subgroups`, { delete: [inner] });
  await callAsProspero("PATCH", group, { description: "of the isle" });

  // Deletion events for a private channel's former subscriber and for a bot's former owner.
  const caliban = await aPerson("Caliban");
  const calibansBot = await callSuccessfully(caliban, "POST", "/bots", {
    full_name: "Sprite",
    short_name: unique("sprite").replaceAll(/\W+/g, "-"),
  });
  const den = await aChannel("den", [caliban], { inviteOnly: true });
  // Also gets the older events about settings.
  const calibansListener = await listen(caliban, {
    client_capabilities: { ...capabilities, user_settings_object: false },
  });
  await callSuccessfully(caliban, "PATCH", "/settings", { default_language: "de", enable_sounds: false });
  await callSuccessfully(miranda, "PATCH", `/bots/${calibansBot.user_id}`, { bot_owner_id: ferdinand.id });
  await callSuccessfully(caliban, "DELETE", "/users/me/subscriptions", { subscriptions: [den.name] });

  const describedNames = new Set(describedEvents.map(({ name }) => name));
  const missing = () => {
    const received = new Set([...listener.received, ...calibansListener.received].map(nameOfEvent));
    return [...describedNames].filter((name) => !received.has(name) && !coveredElsewhere.includes(name));
  };
  for (const end = Date.now() + 30_000; missing().length > 0 && Date.now() < end; )
    await Promise.all([listener.poll(), calibansListener.poll()]);
  expect(missing()).toEqual([]);
  expect(coveredElsewhere.filter((name) => !describedNames.has(name))).toEqual([]);
}, 240_000);
