import { multipart, png, upload } from "../files.ts";
import { sendDirect, sendToChannel } from "../messages.ts";
import { unique } from "../unique.ts";
import type { Person } from "../world.ts";

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
  await owner.do("POST", "/users", {
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
  await owner.do("POST", "/user_groups/create", {
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
  const pattern = `${unique("isle").replaceAll(/\W+/g, "")}-(?P<id>[0-9]+)`;
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
  await owner.do("POST", "/scheduled_messages", {
    ...{ type: "direct", to: [other.id], content: "good", scheduled_delivery_timestamp: tomorrow },
  });
  const island2 = { id: stream_id } as Parameters<typeof sendToChannel>[1];
  const sent = await sendToChannel(owner, island2, "tempest", "/poll Sail?\nyes");
  const reacted = await sendToChannel(owner, island2, "", "**We** are such stuff");
  const direct = await sendDirect(other, [owner], `@**${owner.name}** :${emoji}:`);
  await owner.do("POST", `/messages/${reacted}/reactions`, { emoji_name: "smile" });
  await owner.do("POST", `/messages/${reacted}/reactions`, { emoji_name: emoji });
  await owner.do("POST", "/submessage", {
    message_id: sent,
    msg_type: "widget",
    content: '{"type":"vote","key":"1","vote":1}',
  });
  await owner.do("POST", "/reminders", { message_id: reacted, scheduled_delivery_timestamp: tomorrow, note: "*n*" });
  await owner.do("POST", "/saved_snippets", { title: "a", content: "b" });
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
  return { linkifier, playground, domain, folder, messages: [reacted, sent, direct], fields };
}
