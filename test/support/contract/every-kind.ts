import type { Channel } from "../../../shared/store/channels/channels.ts";
import { multipart, png, upload } from "../files.ts";
import { sendDirect, sendToChannel } from "../messages.ts";
import { unique } from "../unique.ts";
import { eventually } from "../waiting.ts";
import { aChannel, type Person } from "../world.ts";

const name = (prefix: string) => unique(prefix).replaceAll(/\W+/g, "-").toLowerCase().slice(0, 40);
const tomorrow = Math.floor(Date.now() / 1000) + 86_400;

/**
 * Has two people make an object of every kind. Each object changes at most once in a way that its event tells, so that its event
 * stays true.
 */
export async function makeEveryKind(owner: Person, other: Person) {
  const field = async (field_type: number, field_data?: object) =>
    (
      await owner.do("POST", "/realm/profile_fields", {
        name: name("f"),
        field_type,
        ...(field_data && { field_data }),
      })
    ).id as number;
  const choices = { gold: { text: "Gold", order: "1" } };
  const account = { subtype: "github" };
  const fields = [await field(1), await field(2), await field(3, choices), await field(4), await field(5)];
  fields.push(await field(6), await field(7, account), await field(8));
  await other.do("PATCH", "/users/me/profile_data", {
    data: [
      ...[
        { id: fields[0], value: "*sea*" },
        { id: fields[1], value: "a long\ntale" },
        { id: fields[2], value: "gold" },
      ],
      ...[
        { id: fields[3], value: "1611-11-01" },
        { id: fields[4], value: "https://isle.test/" },
      ],
      ...[
        { id: fields[5], value: [other.id, owner.id] },
        { id: fields[6], value: "ariel" },
        { id: fields[7], value: "they" },
      ],
    ],
  });
  const { user_id: bot } = await owner.do("POST", "/bots", { full_name: "Ariel", short_name: name("ariel") });
  await owner.do("POST", "/bots", {
    ...{ full_name: "Iris", short_name: name("iris"), bot_type: 3 },
    ...{ payload_url: '"https://iris.test/"', service_name: "iris" },
  });
  const { user_id: trinculo } = await owner.do("POST", "/users", {
    email: `${name("trinculo")}@globe.test`,
    full_name: "Trinculo",
    password: "jesterly 99 x",
  });
  const island = await owner.do("POST", "/users/me/subscriptions", {
    subscriptions: JSON.stringify([{ name: name("island"), description: "an *isle*" }]),
    can_send_message_group: { direct_members: [owner.id], direct_subgroups: [] },
  });
  const [channelName] = Object.values<string[]>(island.subscribed)[0] as [string];
  const { stream_id } = await owner.do("GET", "/get_stream_id", { stream: channelName });
  const { group_id } = await owner.do("POST", "/user_groups/create", {
    ...{ name: name("spirits"), description: "airy", members: [owner.id, other.id] },
    can_mention_group: { direct_members: [owner.id], direct_subgroups: [] },
  });
  const emoji = name("isle").replaceAll("-", "_");
  await owner.call(
    "POST",
    `/realm/emoji/${emoji}`,
    {},
    {
      credentials: { email: owner.email, apiKey: owner.apiKey },
      ...multipart([{ filename: "isle.png", content: png }]),
    },
  );
  const token = unique("isle").replaceAll(/\W+/g, "");
  const pattern = `${token}-(?P<id>[0-9]+)`;
  const linkifier = await owner.do("POST", "/realm/filters", { pattern, url_template: "https://a.test/{id}" });
  const playground = await owner.do("POST", "/realm/playgrounds", {
    ...{ name: name("isle"), pygments_language: "Python", url_template: "https://a.test/{code}" },
  });
  const domain = `${name("isle")}.test`;
  await owner.do("POST", "/realm/domains", { domain, allow_subdomains: false });
  const folder = await owner.do("POST", "/channel_folders/create", { name: name("isles"), description: "*all*" });
  await owner.do("POST", "/default_stream_groups/create", {
    ...{ group_name: name("isles"), description: "d", stream_names: [channelName] },
  });
  await owner.do("POST", "/drafts", {
    drafts: [
      { type: "stream", to: [stream_id], topic: "tempest", content: "what cheer", timestamp: 1_600_000_000.5 },
      { type: "private", to: [other.id], topic: "", content: "spells" },
      { type: "", to: [], topic: "", content: "x" },
    ],
  });
  await owner.do("POST", "/scheduled_messages", {
    ...{ type: "channel", to: stream_id, topic: "", content: "*good*", scheduled_delivery_timestamp: tomorrow },
  });
  const { scheduled_message_id: scheduled } = await owner.do("POST", "/scheduled_messages", {
    ...{ type: "direct", to: [other.id], content: "good", scheduled_delivery_timestamp: tomorrow },
  });
  const channel = { id: stream_id, name: channelName } as Channel;
  const sent = await sendToChannel(owner, channel, "tempest", "/poll Sail?\nyes");
  const reacted = await sendToChannel(owner, channel, "", "**We** are such stuff");
  const direct = await sendDirect(other, [owner], `@**${owner.name}** :${emoji}:`);
  await owner.do("POST", `/messages/${reacted}/reactions`, { emoji_name: "smile" });
  await owner.do("POST", `/messages/${reacted}/reactions`, { emoji_name: emoji });
  await owner.do("POST", "/submessage", {
    message_id: sent,
    msg_type: "widget",
    content: '{"type":"vote","key":"1","vote":1}',
  });
  await owner.do("POST", "/reminders", { message_id: reacted, scheduled_delivery_timestamp: tomorrow, note: "*n*" });
  const { saved_snippet_id } = await owner.do("POST", "/saved_snippets", { title: "a", content: "b" });
  await owner.do("POST", "/navigation_views", { fragment: name("narrow/is"), is_pinned: true, name: name("Alerts") });
  await owner.do("POST", "/navigation_views", { fragment: "recent", is_pinned: true }).catch(() => undefined);
  await owner.do("POST", `/users/me/muted_users/${bot}`).catch(() => undefined);
  await owner.do("POST", "/users/me/alert_words", { alert_words: [name("ariel")] });
  await owner.do("POST", "/users/me/onboarding_steps", { onboarding_step: "intro_resolve_topic" });
  await owner.do("POST", "/user_topics", { stream_id, topic: name("calm"), visibility_policy: 1 });
  await other.do("POST", "/users/me/status", { status_text: "at sea", emoji_name: "smile" });
  await owner.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: [
      { stream_id, property: "pin_to_top", value: true },
      { stream_id, property: "color", value: "#c2c2c2" },
      { stream_id, property: "push_notifications", value: true },
    ],
  });
  await owner.do("PATCH", "/settings", {
    twenty_four_hour_time: true,
    default_language: "de",
    timezone: "Europe/Rome",
  });
  await owner.do("PATCH", "/realm", { description: unique("noises") });
  await owner.do("PATCH", "/realm/user_settings_defaults", { web_navigate_to_sent_message: false });
  const file = await upload(owner, "a book.txt");
  await sendDirect(owner, [other], `[book](${file})`);
  return {
    ...{ linkifier, playground, domain, fields, bot, trinculo, channel, emoji, scheduled, token },
    ...{ folder: folder.channel_folder_id as number, group: group_id as number, snippet: saved_snippet_id as number },
    messages: { reacted, sent, direct },
  };
}

/**
 * Has the same people change what they made, so that there is what only a change makes: edited and moved messages, archived channels,
 * people who left. Several objects change more than once.
 */
export async function changeEveryKind(owner: Person, other: Person, made: Awaited<ReturnType<typeof makeEveryKind>>) {
  const { channel, messages, group, trinculo, bot, emoji, folder, snippet, fields, scheduled, token, domain } = made;
  const anonymous = { direct_members: [owner.id, other.id], direct_subgroups: [group] };

  // Messages.
  const crypt = await aChannel("crypt", [owner, other], { inviteOnly: true });
  const vault = await aChannel("vault", [owner, other]);
  const deck = await aChannel("deck", [owner, other]);
  const write = (topic: string, content: string) => sendToChannel(other, deck, topic, content);
  const mention = `@**${owner.name}** @**all**`;
  const unread = [await write("storm", mention), await write("", `*${mention}*`), await write("calm", "/me sails")];
  unread.push(await sendDirect(other, [owner], "alone"), await sendDirect(owner, [owner], "to myself"));
  const people = { type: "direct", to: [owner.id, trinculo], content: "we three" };
  unread.push((await other.do("POST", "/messages", people)).id);
  await owner.do("PATCH", `/messages/${messages.reacted}`, { content: "**They** are such stuff" });
  await owner.do("PATCH", `/messages/${messages.sent}`, { topic: `${token}-7`, propagate_mode: "change_all" });
  await owner.do("PATCH", `/messages/${messages.sent}`, { topic: `✔ ${token}-7`, propagate_mode: "change_all" });
  await owner.do("PATCH", `/messages/${messages.sent}`, { topic: "", propagate_mode: "change_one" });
  await owner.do("PATCH", `/messages/${messages.sent}`, { stream_id: crypt.id, topic: "deep" });
  await owner.do("PATCH", `/messages/${unread[0]}`, { stream_id: vault.id, propagate_mode: "change_later" });
  const gone = [await write("gone", "1"), await write("gone", "2")];
  await owner.do("DELETE", `/messages/${gone[0]}`);
  await owner.do("POST", `/streams/${deck.id}/delete_topic`, { topic_name: "gone" });
  const goneDirectly = await sendDirect(owner, [other], "gone");
  await owner.do("DELETE", `/messages/${goneDirectly}`);
  for (const flag of ["read", "starred"]) {
    await owner.do("POST", "/messages/flags", { messages: unread, op: "add", flag });
    await owner.do("POST", "/messages/flags", { messages: unread, op: "remove", flag });
  }
  await owner.do("POST", `/messages/${messages.direct}/reactions`, { emoji_name: "zulip" });
  await other.do("POST", `/messages/${messages.direct}/reactions`, { emoji_name: emoji });
  await owner.do("DELETE", `/messages/${messages.direct}/reactions`, { emoji_name: "zulip" });
  await owner.do("POST", `/messages/${messages.direct}/reactions`, { emoji_name: "zulip" });
  for (const op of ["start", "stop"]) {
    await other.do("POST", "/typing", { op, to: [owner.id] });
    await other.do("POST", "/typing", { op, type: "stream", stream_id: deck.id, topic: "" });
  }
  await other.do("POST", "/users/me/status", { emoji_name: emoji, status_text: "" });
  await owner.do("POST", "/users/me/status", { emoji_name: "zulip", status_text: "here" });
  await owner.do("POST", "/users/me/status", { emoji_name: "", status_text: "" });
  await owner.do("DELETE", `/realm/emoji/${emoji}`);
  await owner.do("POST", "/user_topics", { stream_id: channel.id, topic: "", visibility_policy: 3 });
  await owner.do("PATCH", `/saved_snippets/${snippet}`, { title: "c" });
  await owner.do("DELETE", `/saved_snippets/${snippet}`);
  await owner.do("DELETE", `/users/me/muted_users/${bot}`);
  await owner.do("POST", `/users/me/muted_users/${trinculo}`);
  await owner.do("PATCH", `/scheduled_messages/${scheduled}`, { content: "*better*" });
  for (const id of [unread[0], unread[3]])
    for (const op of ["start", "stop"]) await other.do("POST", `/messages/${id}/typing`, { op });

  // What one keeps for oneself.
  const { drafts } = await owner.do("GET", "/drafts");
  const draft = { type: "stream", to: [channel.id], topic: "tempest", content: "what cheer, good boatswain" };
  await owner.do("PATCH", `/drafts/${drafts[0].id}`, { draft });
  await owner.do("DELETE", `/drafts/${drafts[0].id}`);
  await owner.do("DELETE", `/scheduled_messages/${scheduled}`);
  const { reminders } = await owner.do("GET", "/reminders");
  await owner.do("DELETE", `/reminders/${reminders[0].reminder_id}`);
  const { navigation_views } = await owner.do("GET", "/navigation_views");
  const { fragment } = navigation_views.find((view: { name: string | null }) => view.name !== null);
  await owner.do("PATCH", `/navigation_views/${fragment}`, { is_pinned: false });
  await owner.do("DELETE", `/navigation_views/${fragment}`);
  await upload(owner, "a page.txt");
  // Where reads lag, the list has the file later.
  const page = await eventually(async () => {
    const { attachments } = await owner.do("GET", "/attachments");
    return attachments.find((file: { name: string }) => file.name === "a page.txt");
  });
  await owner.do("DELETE", `/attachments/${page.id}`);

  await write(`${token}-8`, "a topic with a link");
  await owner.do("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  await owner.do("DELETE", `/realm/domains/${domain}`);

  // People.
  await other.do("PATCH", "/settings", { full_name: "Miranda M", timezone: "Asia/Tokyo", email_address_visibility: 5 });
  await owner.do("PATCH", "/settings", {
    ...{ display_emoji_reaction_users: false, emojiset: "text", presence_enabled: false },
    ...{ web_home_view: "all_messages", send_read_receipts: false },
  });
  const credentials = { credentials: { email: other.email, apiKey: other.apiKey } };
  const avatar = { ...credentials, ...multipart([{ filename: "me.png", content: png }]) };
  await other.call("POST", "/users/me/avatar", {}, avatar);
  await other.do("DELETE", "/users/me/profile_data", { data: [fields[0]] });
  for (const role of [600, 400]) await owner.do("PATCH", `/users/${trinculo}`, { role });
  await owner.do("PATCH", `/bots/${bot}`, { bot_owner_id: other.id, full_name: "Ariel, a spirit" });
  await owner.do("DELETE", `/users/${trinculo}`);
  const invitee_emails = `${name("stephano")}@globe.test`;
  await owner.do("POST", "/invites", { invitee_emails, stream_ids: [], invite_expires_in_minutes: 60 });
  await other.do("POST", "/users/me/presence", { status: "active", new_user_input: true, ping_only: false });

  // Groups.
  const inner = { name: name("elves"), description: "", members: [owner.id], can_join_group: group };
  const { group_id: elves } = await owner.do("POST", "/user_groups/create", inner);
  await owner.do("POST", `/user_groups/${elves}/members`, { add: [other.id] });
  await owner.do("POST", `/user_groups/${elves}/members`, { delete: [other.id] });
  await owner.do("POST", `/user_groups/${elves}/subgroups`, { add: [group] });
  await owner.do("POST", `/user_groups/${elves}/subgroups`, { delete: [group] });
  await owner.do("PATCH", `/user_groups/${elves}`, {
    ...{ name: name("fairies"), description: "of the isle" },
    can_manage_group: { new: anonymous },
  });
  await owner.do("POST", `/user_groups/${elves}/deactivate`);

  // Channels.
  await owner.do("PATCH", `/streams/${vault.id}`, {
    ...{ description: "*deep*", new_name: name("cellar"), is_private: true, history_public_to_subscribers: false },
    folder_id: folder,
    can_send_message_group: { new: group },
  });
  await owner.do("PATCH", `/streams/${vault.id}`, {
    can_add_subscribers_group: { new: anonymous },
    can_subscribe_group: { new: { direct_members: [], direct_subgroups: [group] } },
  });
  await owner.do("PATCH", `/channel_folders/${folder}`, { name: name("isles"), description: "some" });
  const { channel_folders } = await owner.do("GET", "/channel_folders", { include_archived: true });
  await owner.do("PATCH", "/channel_folders", { order: channel_folders.map(({ id }: { id: number }) => id) });
  await owner.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: ["is_muted", "desktop_notifications", "audible_notifications", "email_notifications"].map(
      (property) => ({ stream_id: channel.id, property, value: true }),
    ),
  });
  const open = await aChannel("port", [owner]);
  await owner.do("PATCH", `/streams/${open.id}`, { topics_policy: "empty_topic_only", message_retention_days: 30 });
  await other.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: open.name }] });
  await other.do("DELETE", "/users/me/subscriptions", { subscriptions: [open.name] });
  await owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [open.name] });
  await owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [crypt.name] });
  await owner.do("POST", "/default_streams", { stream_id: deck.id });
  await owner.do("DELETE", "/default_streams", { stream_id: deck.id });
  await owner.do("DELETE", `/streams/${open.id}`);
  await owner.do("PATCH", `/streams/${vault.id}`, { folder_id: JSON.stringify(null) });
}

/** Removes what the whole organization would keep, and other tests would meet. */
export async function removeEveryKind(owner: Person, made: Awaited<ReturnType<typeof makeEveryKind>>) {
  await owner.do("PATCH", "/realm", { description: "" });
  await owner.do("DELETE", `/realm/filters/${made.linkifier.id}`);
  await owner.do("DELETE", `/realm/playgrounds/${made.playground.id}`);
  await owner.do("PATCH", `/channel_folders/${made.folder}`, { is_archived: true });
  for (const id of made.fields) await owner.do("DELETE", `/realm/profile_fields/${id}`);
  await owner.do("PATCH", "/realm/user_settings_defaults", { web_navigate_to_sent_message: true });
}
