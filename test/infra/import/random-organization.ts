import { roles } from "../../../shared/base/schema/roles.ts";
import { png } from "../../support/files.ts";
import type { PrivateHost } from "../../support/hosts/private-host.ts";
import type { Random } from "../../support/random.ts";

/** Fills an organization with people, channels, messages and what belongs to them, at random, by calls of the API. */

interface Named {
  id: number;
  name: string;
}
type Person = Named & { email: string };

const owner = "owner@globe.test";
const password = "what-country-friends-is-this";
const words = [
  "exile",
  "greenwood",
  "Ärger",
  "山",
  "naïve",
  "#42",
  "the *court*",
  "a_b_c",
  "🦌",
  "-",
  "1.",
  "&amp;",
  "<b>",
];
const emojiNames = ["heart", "tada", "+1", "stag", "octopus", "zulip", "doe"];
/** Of 60 code points, some of which have two UTF-16 units. */
const longTopic = `${"🦌é".repeat(29)}ab`;
const topics = [
  ...[
    "exile",
    "✔ exile",
    "`code` **bold**",
    "🦌 & <b>",
    longTopic,
    `✔ ${longTopic.slice(0, -2)}`,
    "a>b",
    "50% off / now?",
  ],
  ...["", "@**all**", "#42", ".", "Straße", "\\ | ^", "(no topic)"],
];

/** Returns how many of the random calls were made and how many were refused, for the organization's rules. */
export async function fillAtRandom(host: PrivateHost, random: Random, steps: number) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chance = (share: number) => random() < share;
  const below = (end: number) => Math.floor(random() * end);
  const some = <T>(from: readonly T[], most: number): T[] => [
    ...new Set(from.length > 0 ? Array.from({ length: 1 + below(most) }, () => pick(from)) : []),
  ];
  const counts = { made: 0, refused: 0 };

  /** A call that the organization's rules may refuse. */
  async function attempt(email: string, method: string, path: string, params: Record<string, unknown> = {}) {
    const reply = await host.as(email, method, path, params);
    counts.made++;
    if (reply.status === 200) return reply;
    if (reply.status >= 500) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
    counts.refused++;
    return undefined;
  }
  async function sendFile(email: string, path: string, name: string, content: Uint8Array<ArrayBuffer>) {
    const body = new FormData();
    body.set("file", new File([content], name));
    const headers = { authorization: await host.credentialsOf(email) };
    const response = await fetch(`${host.url}/api/v1${path}`, { method: "POST", headers, body });
    counts.made++;
    if (response.ok) return (await response.json()) as { url: string };
    counts.refused++;
    return undefined;
  }

  const people: Person[] = [];
  const bots: Person[] = [];
  const channels: Named[] = [];
  const groups: Named[] = [];
  const folders: number[] = [];
  const messages: { id: number; by: string; channel?: Named; topic?: string }[] = [];
  const fields: { id: number; type: number }[] = [];

  const groupValue = () =>
    chance(0.5) && groups.length > 0
      ? pick(groups).id
      : { direct_members: some(people, 3).map(({ id }) => id), direct_subgroups: some(groups, 2).map(({ id }) => id) };
  const inADay = () => Math.floor(Date.now() / 1000) + 86_400 + below(1000);
  const file = () => {
    const content = Buffer.from(Array.from({ length: below(400) + 1 }, () => below(256)));
    return chance(0.4)
      ? { name: pick(["stag.png", "Bild ü.png"]), content: Uint8Array.from(png) }
      : { name: pick(["verse.txt", "a b (1).bin", "歌.pdf", ".hidden"]), content: Uint8Array.from(content) };
  };

  async function part(by: string): Promise<string> {
    const [person, channel, message] = [pick(people), pick(channels), pick(messages)];
    const silent = chance(0.4) ? "_" : "";
    return pick<() => string | Promise<string>>([
      () => pick(words),
      () => pick(words),
      () => pick(["**bold**", "*leaning*", "~~gone~~", "`code`", "``a`b``", "$$x^2$$", "**", "`", "\\*", "* * *"]),
      () =>
        pick([
          "\n\n```python\nprint('@**all**')\n```\n\n",
          "\n\n```spoiler Who *is* it\nThe **duke**\n```\n\n",
          "\n> said\n\n",
        ]),
      () =>
        pick([
          "\n* one\n* two\n  * three\n\n",
          "\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n",
          "\n# Title\n",
          "\n1. one\n3. two\n\n",
        ]),
      () =>
        pick([
          "https://example.com/a_(b)?c=d#e",
          "[a](https://example.com)",
          "<https://example.com>",
          "mailto:a@b.example",
        ]),
      () =>
        pick([
          "<time:2026-02-03T04:05:06Z>",
          "/me waves",
          ":heart:",
          ":stag:",
          ":no_such:",
          "@**all**",
          "@**topic**",
          "@_**all**",
        ]),
      () => `@${silent}**${person.name}|${person.id}**`,
      () => `@${silent}**${person.name}**`,
      () => (groups.length > 0 ? `@${silent}*${pick(groups).name}*` : "@*nobody*"),
      () => `#**${channel.name}**`,
      () => `#**${channel.name}>${pick(topics)}**`,
      () => (message?.channel ? `#**${message.channel.name}>${message.topic}@${message.id}**` : "#**none>x@1**"),
      () =>
        message
          ? `[there](#narrow/channel/${channel.id}-x/topic/${encodeURIComponent("exile").replaceAll("%", ".")}/near/${message.id})`
          : "x",
      async () => {
        const { name, content } = file();
        const sent = await sendFile(by, "/user_uploads", name, content);
        return sent ? `[${name}](${sent.url})` : "no file";
      },
    ])();
  }
  async function text(by: string): Promise<string> {
    if (chance(0.06)) return pick(["/poll Where?\nHither\nThither", "/todo Deeds\nflee: soon\nsing"]);
    const parts = [];
    for (let count = below(5); count >= 0; count--) parts.push(await part(by));
    return parts.join(pick([" ", " ", ""]));
  }

  const choices: readonly [weight: number, (by: Person) => Promise<unknown>][] = [
    [
      30,
      async ({ email }) => {
        const [channel, topic] = [pick(channels), pick(topics)];
        const direct = chance(0.3);
        const sender = chance(0.05) && bots.length > 0 ? pick(bots).email : email;
        const place = direct
          ? { type: "direct", to: some(people, 4).map(({ id }) => id) }
          : { type: "channel", to: channel.id, topic };
        const sent = await attempt(sender, "POST", "/messages", { ...place, content: await text(sender) });
        if (sent) messages.push({ id: sent.id, by: sender, ...(!direct && { channel, topic }) });
      },
    ],
    [
      6,
      async () => {
        const message = pick(messages);
        if (message) await attempt(message.by, "PATCH", `/messages/${message.id}`, { content: await text(message.by) });
      },
    ],
    [
      3,
      async () => {
        const message = pick(messages);
        if (!message?.channel) return;
        const [topic, channel] = [pick(topics), chance(0.3) ? pick(channels) : message.channel];
        const propagate_mode = pick(["change_one", "change_all", "change_later"]);
        const move = { topic, ...(channel !== message.channel && { stream_id: channel.id }), propagate_mode };
        if (await attempt(owner, "PATCH", `/messages/${message.id}`, move)) Object.assign(message, { topic, channel });
      },
    ],
    [1, async () => messages.length > 0 && attempt(owner, "DELETE", `/messages/${pick(messages).id}`)],
    [
      12,
      async ({ email }) =>
        messages.length > 0 &&
        attempt(email, "POST", `/messages/${pick(messages).id}/reactions`, { emoji_name: pick(emojiNames) }),
    ],
    [
      5,
      async ({ email }) => {
        const params = {
          messages: some(messages, 5).flatMap((message) => message?.id ?? []),
          op: pick(["add", "add", "remove"]),
        };
        await attempt(email, "POST", "/messages/flags", {
          ...params,
          flag: pick(["starred", "read", "read", "collapsed"]),
        });
      },
    ],
    [
      3,
      async ({ email }) => {
        const vote = JSON.stringify(
          pick([
            { type: "vote", key: "canned,0", vote: 1 },
            { type: "new_option", idx: 1, option: "Back" },
            { type: "strike", key: "0,canned" },
          ]),
        );
        const poll = pick(messages);
        if (poll)
          await attempt(email, "POST", "/submessage", { message_id: poll.id, msg_type: "widget", content: vote });
      },
    ],
    [
      3,
      ({ email }) =>
        attempt(email, "POST", "/user_topics", {
          ...{ stream_id: pick(channels).id, topic: pick(topics), visibility_policy: below(4) },
        }),
    ],
    [2, ({ email }) => attempt(email, "POST", `/users/me/muted_users/${pick(people).id}`)],
    [
      2,
      ({ email }) =>
        attempt(email, "POST", "/users/me/status", {
          status_text: pick(["", ...words]),
          emoji_name: pick(["", ...emojiNames]),
        }),
    ],
    [1, ({ email }) => attempt(email, "POST", "/users/me/alert_words", { alert_words: some(words, 3) })],
    [
      1,
      async ({ email }) =>
        attempt(email, "POST", "/saved_snippets", { title: pick(words), content: await text(email) }),
    ],
    [
      2,
      async ({ email }) => {
        const to = chance(0.5)
          ? { type: "stream", to: [pick(channels).id], topic: pick(topics) }
          : { type: "private", to: some(people, 3).map(({ id }) => id), topic: "" };
        const drafts = [{ ...to, content: await text(email), timestamp: 1_700_000_000 + below(1000) }];
        await attempt(email, "POST", "/drafts", { drafts });
      },
    ],
    [
      2,
      async ({ email }) => {
        const to = chance(0.6)
          ? { type: "channel", to: pick(channels).id, topic: pick(topics) }
          : { type: "direct", to: some(people, 3).map(({ id }) => id) };
        const params = { ...to, content: await text(email), scheduled_delivery_timestamp: inADay() };
        await attempt(email, "POST", "/scheduled_messages", params);
      },
    ],
    [
      1,
      async ({ email }) =>
        messages.length > 0 &&
        attempt(email, "POST", "/reminders", {
          ...{ message_id: pick(messages).id, scheduled_delivery_timestamp: inADay(), note: pick(words) },
        }),
    ],
    [
      4,
      ({ email }) => {
        const [property, value] = pick<[string, unknown]>([
          ["color", pick(["#c2c2c2", "#76ce90", "#fae589"])],
          ...["pin_to_top", "is_muted", "push_notifications", "email_notifications", "audible_notifications"].map(
            (name): [string, unknown] => [name, chance(0.5)],
          ),
        ]);
        const subscription_data = [{ stream_id: pick(channels).id, property, value }];
        return attempt(email, "POST", "/users/me/subscriptions/properties", { subscription_data });
      },
    ],
    [1, ({ email }) => attempt(email, "DELETE", "/users/me/subscriptions", { subscriptions: [pick(channels).name] })],
    [
      2,
      ({ email }) =>
        attempt(chance(0.5) ? owner : email, "POST", "/users/me/subscriptions", {
          ...{ subscriptions: [{ name: pick(channels).name }], principals: some(people, 2).map(({ id }) => id) },
        }),
    ],
    [
      2,
      async ({ email }) => {
        const { id, type } = pick(fields);
        const value = {
          1: pick(words),
          2: words.join("\n"),
          3: pick(["0", "1"]),
          4: "1599-12-24",
          5: "https://example.com/x",
        }[type];
        const data = [{ id, value: value ?? some(people, 3).map((person) => person.id) }];
        await attempt(email, "PATCH", "/users/me/profile_data", { data });
      },
    ],
    [
      1,
      ({ email }) =>
        attempt(email, "POST", "/navigation_views", {
          fragment: pick([
            "inbox",
            "recent",
            `narrow/channel/${pick(channels).id}-x`,
            `narrow/dm/${pick(people).id}-dm`,
            "narrow/is/starred",
          ]),
          ...{ is_pinned: chance(0.5), name: pick(words) },
        }),
    ],
    [
      2,
      ({ email }) =>
        attempt(
          email,
          "PATCH",
          "/settings",
          pick([
            { enter_sends: chance(0.5), web_home_view: pick(["inbox", "recent_topics", "all_messages"]) },
            {
              color_scheme: 1 + below(3),
              twenty_four_hour_time: chance(0.5),
              default_language: pick(["de", "fr", "en"]),
            },
            { timezone: pick(["Europe/Berlin", "Asia/Tokyo", ""]), email_address_visibility: pick([1, 2, 3, 5]) },
            { enable_sounds: chance(0.5), notification_sound: pick(["ding", "none"]), presence_enabled: chance(0.5) },
            { automatically_follow_topics_policy: 1 + below(4), web_font_size_px: 14 + below(3) },
          ]),
        ),
    ],
    [1, ({ email }) => sendFile(email, "/users/me/avatar", "me.png", Uint8Array.from(png))],
    [
      1,
      async ({ email }) => {
        const bot = pick(bots);
        if (bot && chance(0.5))
          await attempt(bot.email, "PUT", "/bot_storage", { storage: { [pick(words)]: pick(words) } });
        else {
          const short_name = `robot${bots.length}`;
          const made = await attempt(email, "POST", "/bots", {
            ...{ full_name: `Robot ${bots.length} 🤖`, short_name, bot_type: pick([1, 1, 2]) },
            ...(chance(0.5) && { config_data: { sheep: pick(words) } }),
          });
          const known = made && (await host.do(owner, "GET", `/users/${made.user_id}`)).user;
          if (known) bots.push({ id: known.user_id, name: known.full_name, email: known.email });
        }
      },
    ],
    [
      1,
      async ({ email }) => {
        const name = `${pick(["exiles", "Förster 🌲", "a.b"])} ${groups.length}`;
        const made = await attempt(chance(0.5) ? owner : email, "POST", "/user_groups/create", {
          ...{ name, description: pick(words), members: some(people, 4).map(({ id }) => id) },
          ...(groups.length > 0 && { subgroups: some(groups, 2).map(({ id }) => id) }),
          ...(chance(0.4) && { can_mention_group: groupValue() }),
        });
        if (made) groups.push({ id: made.group_id, name });
      },
    ],
    [
      1,
      () =>
        attempt(owner, "PATCH", `/streams/${pick(channels).id}`, {
          ...pick<Record<string, unknown>>([
            { description: pick(words) },
            { folder_id: pick([...folders, null]) },
            { message_retention_days: pick([30, "unlimited", "realm_default"]) },
            { topics_policy: pick(["inherit", "allow_empty_topic", "disable_empty_topic"]) },
            { can_send_message_group: { new: groupValue() } },
            { can_administer_channel_group: { new: groupValue() } },
          ]),
        }),
    ],
  ];
  const deck = choices.flatMap(([weight, step]) => Array<typeof step>(weight).fill(step));

  // A beginning that has something of each kind, whose calls must succeed.
  const names = ["Celia", "Touchstone", "Zoë Ñandú", "李 白", "O'Brien-Smith", "Celia", "Adam 🌲"];
  for (const [index, name] of names.slice(0, 4 + below(4)).entries()) {
    const email = `person${index}@globe.test`;
    const { user_id: id } = await host.do(owner, "POST", "/users", { email, password, full_name: name });
    people.push({ id, name, email });
    const role = index === 0 ? roles.member : pick(Object.values(roles));
    if (role !== roles.member) await host.do(owner, "PATCH", `/users/${id}`, { role });
  }
  await sendFile(owner, "/realm/emoji/stag", "stag.png", Uint8Array.from(png));
  await sendFile(owner, "/realm/emoji/doe", "doe.png", Uint8Array.from(png));
  await sendFile(owner, "/realm/icon", "icon.png", Uint8Array.from(png));
  const linkifier = { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.com/{id}" };
  await host.do(owner, "POST", "/realm/filters", linkifier);
  for (const name of ["Woods", "Court 🏰"]) {
    const { channel_folder_id } = await host.do(owner, "POST", "/channel_folders/create", {
      name,
      description: pick(words),
    });
    folders.push(channel_folder_id);
  }
  for (const [index, name] of ["arden", "court & town", "Wald 🌲", "archive", "a>b"].slice(0, 3 + below(3)).entries()) {
    const invite_only = index > 0 && chance(0.4);
    const subscribers = [...new Set([people[0] as Person, ...some(people, 5)])].map(({ id }) => id);
    const { id } = await host.do(owner, "POST", "/channels/create", {
      ...{ name, subscribers, description: `${pick(words)} **b** #**arden**`, invite_only },
      ...(invite_only && { history_public_to_subscribers: chance(0.5) }),
      ...(!invite_only && { is_default_stream: chance(0.3) }),
      ...(chance(0.5) && { folder_id: pick(folders) }),
    });
    channels.push({ id, name });
  }
  for (const [index, type] of some([1, 2, 3, 4, 5, 6], 6).entries()) {
    const field_data = type === 3 ? { 0: { text: "Ja", order: "1" }, 1: { text: "Nein", order: "2" } } : {};
    const params = { name: `Field ${index} é`, hint: pick(words), field_type: type, field_data };
    fields.push({ id: (await host.do(owner, "POST", "/realm/profile_fields", params)).id, type });
  }
  const playground = { name: "Try", pygments_language: "Python", url_template: "https://example.com/?c={code}" };
  await host.do(owner, "POST", "/realm/playgrounds", playground);
  await host.do(owner, "PATCH", "/realm", {
    ...{ description: pick(words), waiting_period_threshold: below(5), allow_message_editing: true },
    ...{ enable_read_receipts: chance(0.5), inline_image_preview: chance(0.5) },
  });

  for (let step = 0; step < steps; step++) await pick(deck)(pick(people));

  // In the end, what keeps others from acting, and the consent, so that everything is in the archive.
  if (chance(0.5)) await attempt(owner, "DELETE", "/realm/emoji/doe");
  if (chance(0.6)) await attempt(owner, "DELETE", `/streams/${pick(channels).id}`);
  if (chance(0.4) && groups.length > 0) await attempt(owner, "POST", `/user_groups/${pick(groups).id}/deactivate`);
  if (chance(0.3) && bots.length > 0) await attempt(owner, "DELETE", `/bots/${pick(bots).id}`);
  if (chance(0.6)) await attempt(owner, "DELETE", `/users/${people.at(-1)?.id}`);
  for (const { email } of [...people, { email: owner }])
    await attempt(email, "PATCH", "/settings", { allow_private_data_export: true });
  return counts;
}
