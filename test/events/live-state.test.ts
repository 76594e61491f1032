import { beforeAll, expect, test } from "vitest";
import type { RealmSettings } from "../../shared/base/schema/organization-settings.ts";
import { fullMembers, members } from "../../shared/base/schema/system-groups.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { multipart, png } from "../support/files.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { clientWith, LiveState, oldestClient } from "../support/model/live-state.ts";
import { withSettings } from "../support/organization.ts";
import { randomFrom, seed } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * A client that registered once and applies events has the state of one that registers anew, in every field of `/register`, after
 * changes of each kind to things on which something of every kind hangs. For the person who acts, for another subscriber, for a
 * guest who sees only what they subscribe to, and for somebody who is in none of the channels; also for a client without
 * capabilities, and for one with some of them. On a deployed fleet, whose registrations take long, for three of these clients.
 *
 * Each change has a topic, a channel or a person of its own, so that many are made before a comparison.
 */

let owner: Person;
let other: Person;
let guest: Person;
let stranger: Person;
let clients: LiveState[];
let island: Channel;
/** A private channel of the owner and the other. */
let cell: Channel;

beforeAll(async () => {
  [owner, other, guest, stranger] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda"),
    aPerson("Ferdinand", { role: "guest" }),
    aPerson("Caliban"),
  ]);
  const someCapabilities = clientWith(Math.floor(randomFrom(seed)() * 2 ** 8));
  const registrations: Parameters<typeof LiveState.register>[] = [
    [guest],
    [other, oldestClient],
    [stranger, someCapabilities],
    ...(isLocal() ? [owner, other, stranger].map((person): [Person] => [person]) : []),
  ];
  clients = await Promise.all(registrations.map((of) => LiveState.register(...of)));
  island = await aChannel("island", [owner, other, guest]);
  cell = await aChannel("cell", [owner, other], { inviteOnly: true, historyPublicToSubscribers: true });
});

const expectFresh = async (compared = clients, except: string[] = []) =>
  expect(
    Object.assign({}, ...(await Promise.all(compared.map((client) => client.differencesToFresh({ except }))))),
  ).toEqual({});

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
const aName = (name: string) => unique(name).replaceAll(/\W+/g, "_").toLowerCase();

/** Numbers from 0 on. */
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Lets people star messages. */
const star = (messages: readonly number[], people = [owner, other, guest]) =>
  Promise.all(people.map((person) => person.do("POST", "/messages/flags", { messages, op: "add", flag: "starred" })));

/** Puts something of every kind but stars on a topic; returns its two messages. */
async function aTopic(topic: string, channel = island): Promise<[number, number]> {
  const messages: [number, number] = [
    await sendToChannel(owner, channel, topic, `@**${other.name}|${other.id}** boatswain`),
    await sendToChannel(other, channel, topic, "here, master"),
  ];
  await Promise.all(
    [owner, other, guest].map((person, index) =>
      person.do("POST", "/user_topics", { stream_id: channel.id, topic, visibility_policy: [1, 3, 3][index] }),
    ),
  );
  const to = { to: channel.id, topic, content: "good" };
  await other.do("POST", "/drafts", { drafts: [{ ...to, type: "stream", to: [channel.id] }] });
  await other.do("POST", "/reminders", { message_id: messages[0], scheduled_delivery_timestamp: tomorrow() });
  await other.do("POST", "/scheduled_messages", { ...to, type: "channel", scheduled_delivery_timestamp: tomorrow() });
  const fragment = `narrow/channel/${channel.id}-${topic.length}/topic/${aName("t")}`;
  await other.do("POST", "/navigation_views", { fragment, is_pinned: true, name: unique("Tempest") });
  return messages;
}

const moveTopic = (id: number, params: Record<string, unknown>) =>
  owner.do("PATCH", `/messages/${id}`, { propagate_mode: "change_all", ...params });

test("changes of topics and messages", async () => {
  const topics = "renamed resolved case part merged private deleted read edited".split(" ");
  const all = await Promise.all(topics.map((topic) => aTopic(topic)));
  const [renamed, resolved, cased, part, merged, privately, , read, edited] = all as [number, number][] as any;
  await sendToChannel(owner, island, "calm");
  await star(all.flat(), [owner, other, guest, stranger]);

  await moveTopic(renamed[0], { topic: "renamed since" });
  await moveTopic(resolved[0], { topic: "✔ resolved" });
  await moveTopic(cased[0], { topic: "CASE" });
  await moveTopic(part[1], { topic: "part since", propagate_mode: "change_one" });
  await moveTopic(merged[0], { topic: "calm" });
  await moveTopic(privately[0], { stream_id: cell.id });
  await owner.do("POST", `/streams/${island.id}/delete_topic`, { topic_name: "deleted" });
  await guest.do("POST", "/mark_topic_as_read", { stream_id: island.id, topic_name: "read" });
  await guest.do("POST", "/messages/flags", { messages: [read[1]], op: "remove", flag: "read" });
  await owner.do("PATCH", `/messages/${edited[0]}`, { content: `@**${guest.name}|${guest.id}** boatswain` });
  await owner.do("DELETE", `/messages/${edited[1]}`);
  await sendDirect(owner, [other], "awake");
  await sendDirect(other, [owner, guest], "dear heart");
  await expectFresh();
});

test("stars follow messages that are deleted or moved, also for somebody who reads by a permission alone", async () => {
  const keeper = await aPerson("Gonzalo");
  const readers = [...(await Promise.all([LiveState.register(keeper)])), ...clients];
  const options = { inviteOnly: true, historyPublicToSubscribers: true };
  const channels = await Promise.all(
    ["readable", "also readable", "hidden"].map((name) => aChannel(name, [owner, other], options)),
  );
  const [readable, alsoReadable, hidden] = channels as [Channel, Channel, Channel];
  const allow = ({ id }: Channel, members: Person[]) =>
    owner.do("PATCH", `/streams/${id}`, {
      can_subscribe_group: { new: { direct_members: members.map((person) => person.id), direct_subgroups: [] } },
    });
  for (const channel of channels) await allow(channel, [keeper]);
  const write = (channel: Channel) => sendToChannel(other, channel, "tempest");
  const [deleted, kept, lost, found, shown] = await Promise.all([
    write(readable),
    write(readable),
    write(readable),
    write(readable),
    write(hidden),
  ]);
  // Newer stars than these, more than any list looks up one by one.
  const newer: number[] = [];
  for (let count = isLocal() ? 510 : 10; newer.length < count; )
    newer.push(...(await Promise.all(upTo(10).map(() => write(readable)))));
  await star([deleted, kept, lost, found, shown, ...newer], [keeper, other]);
  const [direct, inChannel] = [await sendDirect(other, [owner]), await write(island)];
  await sendDirect(other, [owner]);
  await star([direct, inChannel], [owner, other]);
  await allow(hidden, []);
  await expectFresh(readers);

  const move = (id: number, { id: stream_id }: Channel) =>
    owner.do("PATCH", `/messages/${id}`, { stream_id, topic: "since", propagate_mode: "change_one" });
  await owner.do("DELETE", `/messages/${deleted}`);
  await move(kept, alsoReadable);
  await move(lost, hidden);
  await move(found, island);
  await move(shown, readable);
  for (const id of [direct, inChannel, newer[0]]) await owner.do("DELETE", `/messages/${id}`);
  await expectFresh(readers);

  await move(lost, readable);
  await move(found, hidden);
  await expectFresh(readers);
}, 120_000);

test("stars at the moment when their messages are deleted or moved", async () => {
  const steps = upTo(isLocal() ? 12 : 3);
  const ids: number[] = [];
  for (const _ of steps) ids.push(await sendToChannel(owner, island, "tempest"));
  await Promise.all(
    steps.flatMap((index) => [
      index % 2
        ? owner.call("DELETE", `/messages/${ids[index]}`)
        : owner.call("PATCH", `/messages/${ids[index]}`, { stream_id: cell.id, propagate_mode: "change_one" }),
      ...[owner, other, guest, stranger].map((person) =>
        person.call("POST", "/messages/flags", { messages: [ids[index]], op: "add", flag: "starred" }),
      ),
    ]),
  );
  await expectFresh();
});

test("changes of channels", async () => {
  const messages: number[] = [];
  const make = async (name: string, options = {}) => {
    const channel = await aChannel(name, [owner, other, guest], options);
    messages.push(...(await aTopic("tempest", channel)));
    return channel;
  };
  const [renamed, closed, archived, restored, left, lost, foldered, emptied, older, newer] = await Promise.all([
    make("renamed"),
    make("closed"),
    make("archived"),
    make("restored"),
    make("left"),
    make("lost", { inviteOnly: true, historyPublicToSubscribers: true }),
    make("foldered"),
    make("emptied"),
    make("older"),
    aChannel("newer", [owner, other, guest]),
  ]);
  await sendToChannel(owner, older, "calm");
  await sendToChannel(other, newer, "calm");
  await owner.do("PATCH", "/realm", { new_stream_announcements_stream_id: archived.id });
  const bots: number[] = [];
  for (const { name } of [renamed, archived, closed])
    bots.push(
      (
        await other.do("POST", "/bots", {
          ...{ full_name: "Robin", short_name: unique("robin").replaceAll(/\W+/g, "-") },
          default_sending_stream: name,
          default_events_register_stream: name,
        })
      ).user_id,
    );
  for (const channel of [archived, closed, left])
    await other.do("POST", "/navigation_views", {
      ...{ fragment: `narrow/channel/${channel.id}-x`, is_pinned: true, name: unique("Tempest") },
    });
  await owner.do("POST", "/default_streams", { stream_id: archived.id });
  await owner.do("POST", "/default_stream_groups/create", {
    ...{ group_name: unique("isles"), description: "", stream_names: [restored.name, renamed.name] },
  });
  const folder = async (name: string) =>
    (await owner.do("POST", "/channel_folders/create", { name: unique(name) })).channel_folder_id;
  const [isles, empty] = [await folder("isles"), await folder("empty")];
  await star(messages);

  const edit = ({ id }: Channel, params: Record<string, unknown>) => owner.do("PATCH", `/streams/${id}`, params);
  await edit(renamed, { new_name: unique("isle") });
  await edit(renamed, { description: "full of *noises*" });
  await edit(closed, { is_private: true });
  await edit(closed, { message_retention_days: 30 });
  await edit(lost, { is_private: false });
  await edit(lost, { is_private: true });
  await owner.do("POST", `/streams/${emptied.id}/delete_topic`, { topic_name: "tempest" });
  const { messages: first } = await owner.do("GET", "/messages", {
    ...{ anchor: "oldest", num_before: 0, num_after: 1, narrow: [{ operator: "channel", operand: older.id }] },
  });
  await moveTopic(first[0].id, { stream_id: newer.id, topic: "tempest since" });
  await edit(foldered, { folder_id: isles, topics_policy: "disable_empty_topic" });
  await edit(foldered, { can_send_message_group: { new: { direct_members: [owner.id], direct_subgroups: [] } } });
  await owner.do("DELETE", `/streams/${archived.id}`);
  await owner.do("DELETE", `/streams/${restored.id}`);
  await edit(restored, { is_archived: false });
  await other.do("DELETE", "/users/me/subscriptions", { subscriptions: [left.name] });
  await owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [lost.name], principals: [other.id, guest.id] });
  await owner.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: foldered.name }],
    principals: [stranger.id],
  });
  await guest.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: [
      { stream_id: foldered.id, property: "pin_to_top", value: true },
      { stream_id: foldered.id, property: "is_muted", value: true },
      { stream_id: island.id, property: "color", value: "#112233" },
    ],
  });
  await owner.do("PATCH", `/channel_folders/${isles}`, { name: unique("islands"), description: "all" });
  await owner.do("PATCH", `/channel_folders/${empty}`, { is_archived: true });
  const { channel_folders } = await owner.do("GET", "/channel_folders", { include_archived: true });
  await owner.do("PATCH", "/channel_folders", { order: channel_folders.map(({ id }: any) => id).reverse() });
  await owner.do("POST", "/channels/create", { name: unique("den"), subscribers: [other.id], invite_only: true });
  // Archived before a client learns that it is private.
  const shut = await aChannel("shut", [owner]);
  await edit(shut, { is_private: true });
  await owner.do("DELETE", `/streams/${shut.id}`);
  // A message from before the subscription can be read until the history is protected.
  const vault = await aChannel("vault", [owner], { inviteOnly: true, historyPublicToSubscribers: true });
  const early = await sendToChannel(owner, vault, "tempest", "boatswain");
  await owner.do("POST", "/users/me/subscriptions", {
    ...{ subscriptions: [{ name: vault.name }], principals: [other.id, guest.id] },
  });
  await star([early]);
  await edit(vault, { history_public_to_subscribers: false, is_private: true });
  await expectFresh();
});

test("changes of people, bots and groups", async () => {
  const [leaver, returner, promoted, renamed] = await Promise.all([
    aPerson("Ariel"),
    aPerson("Iris"),
    aPerson("Ceres"),
    aPerson("Juno"),
  ]);
  const people = [leaver, returner, promoted, renamed];
  const spirits = await aChannel("spirits", [owner, guest, ...people]);
  await Promise.all(people.map((person) => sendToChannel(person, spirits, "masque", "hail")));
  const group = async (name: string, members = people) =>
    (
      await owner.do("POST", "/user_groups/create", {
        ...{ name: unique(name), description: "", members: [owner.id, ...members.map(({ id }) => id)] },
      })
    ).group_id as number;
  const [kept, deactivated, inner] = [await group("kept"), await group("deactivated"), await group("inner")];
  const bot = async (person: Person) =>
    (await person.do("POST", "/bots", { full_name: "Robin", short_name: unique("robin").replaceAll(/\W+/g, "-") }))
      .user_id as number;
  const [ownBot, leaversBot, otherBot] = [await bot(owner), await bot(leaver), await bot(other)];
  const field = await owner.do("POST", "/realm/profile_fields", { name: unique("friend").slice(0, 40), field_type: 6 });
  await other.do("PATCH", "/users/me/profile_data", { data: [{ id: field.id, value: [leaver.id, returner.id] }] });
  await Promise.all(
    [leaver, returner].map((one) => one.do("POST", "/users/me/status", { status_text: "on the isle" })),
  );
  await Promise.all([leaver, returner].map((one) => stranger.do("POST", `/users/me/muted_users/${one.id}`)));
  await Promise.all(
    [leaver, returner].map((one) => one.do("POST", "/users/me/presence", { status: "active", ping_only: true })),
  );
  await sendDirect(leaver, [owner], "hail");
  await owner.do("PATCH", `/streams/${spirits.id}`, {
    can_send_message_group: { new: { direct_members: [owner.id, leaver.id], direct_subgroups: [kept] } },
  });

  await owner.do("DELETE", `/users/${leaver.id}`);
  await owner.do("DELETE", `/users/${returner.id}`);
  await expectFresh();
  await owner.do("POST", `/users/${returner.id}/reactivate`);
  for (const role of [300, 600, 200]) await owner.do("PATCH", `/users/${promoted.id}`, { role });
  await owner.do("PATCH", `/users/${renamed.id}`, { full_name: unique("Juno").slice(0, 40) });
  await owner.do("PATCH", `/user_groups/${kept}`, { name: unique("elves"), description: "of hills" });
  await owner.do("POST", `/user_groups/${kept}/members`, { add: [guest.id], delete: [renamed.id] });
  await owner.do("POST", `/user_groups/${kept}/subgroups`, { add: [inner] });
  await owner.do("POST", `/user_groups/${deactivated}/deactivate`);
  await owner.do("PATCH", `/user_groups/${deactivated}`, { deactivated: false, name: unique("sprites") });
  await owner.do("POST", `/user_groups/${deactivated}/deactivate`);
  await owner.do("PATCH", `/bots/${ownBot}`, { full_name: "Puck", bot_owner_id: other.id });
  await other.do("DELETE", `/bots/${otherBot}`);
  await owner.do("POST", `/users/${leaversBot}/reactivate`);
  // One's own account.
  await owner.do("PATCH", `/users/${stranger.id}`, { role: 300 });
  const ruin = await aChannel("ruin", [owner]);
  const inRuin = await sendToChannel(owner, ruin, "masque", "hail");
  await other.do("POST", "/messages/flags", { messages: [inRuin], op: "add", flag: "starred" });
  await owner.do("DELETE", `/streams/${ruin.id}`);
  // Subscriptions right before and after another role: a channel appears with the one or with the other.
  const [hold, quay] = await Promise.all([aChannel("hold", [owner], { inviteOnly: true }), aChannel("quay", [owner])]);
  const subscribe = ({ name }: Channel, { id }: Person) =>
    owner.do("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [id] });
  await subscribe(hold, other);
  for (const role of [200, 600]) {
    await owner.do("PATCH", `/users/${other.id}`, { role });
    await expectFresh();
  }
  await owner.do("PATCH", `/users/${other.id}`, { role: 400 });
  for (const role of [600, 400]) {
    await owner.do("PATCH", `/users/${stranger.id}`, { role });
    if (role === 400) await subscribe(quay, stranger);
    await expectFresh();
  }
  await owner.do("PATCH", `/users/${other.id}`, { full_name: unique("Miranda").slice(0, 40) });
  await guest.do("POST", "/users/me/avatar", {}, { ...multipart([{ filename: "a.png", content: png }]), ...as(guest) });
  await expectFresh();
});

test("changes of the waiting period", async () => {
  const { id } = await aChannel("full members", [owner], { inviteOnly: true, historyPublicToSubscribers: true });
  await owner.do("PATCH", `/streams/${id}`, { can_subscribe_group: { new: fullMembers } });
  await expectFresh();
  await withSettings({ waiting_period_threshold: 3 }, () => expectFresh());
  await expectFresh();
});

const as = ({ email, apiKey }: Person) => ({ credentials: { email, apiKey } });

test("changes of the organization", async () => {
  const before = await owner.do("POST", "/register", { fetch_event_types: ["realm", "realm_user_settings_defaults"] });
  const { enter_sends, color_scheme } = before.realm_user_settings_defaults;
  const setDefaults = (defaults: object) => owner.do("PATCH", "/realm/user_settings_defaults", { ...defaults });
  const settings: Partial<RealmSettings> = {
    description: unique("An isle full of noises"),
    message_content_edit_limit_seconds: 7200,
    default_code_block_language: "python",
    topics_policy: "disable_empty_topic",
    message_edit_history_visibility_policy: "moves",
    waiting_period_threshold: 3,
    enable_read_receipts: !before.realm_enable_read_receipts,
    can_add_custom_emoji_group: { direct_members: [owner.id], direct_subgroups: [] },
  };
  await withSettings(settings, async () => {
    await setDefaults({ enter_sends: !enter_sends, color_scheme: 2 });
    try {
      await changeTheOrganization();
    } finally {
      await setDefaults({ enter_sends, color_scheme });
    }
  });
  await expectFresh();
});

async function changeTheOrganization(): Promise<void> {
  const emoji = `/realm/emoji/${aName("isle")}`;
  await owner.do("POST", emoji, {}, { ...as(owner), ...multipart([{ filename: "isle.png", content: png }]) });
  const other_emoji = aName("cloud");
  await owner.do(
    "POST",
    `/realm/emoji/${other_emoji}`,
    {},
    { ...as(owner), ...multipart([{ filename: "c.png", content: png }]) },
  );
  await other.do("POST", "/users/me/status", { status_text: "", emoji_name: other_emoji });
  const ids: number[] = [];
  for (const name of [aName("a"), aName("b")])
    ids.push(
      (
        await owner.do("POST", "/realm/filters", {
          pattern: `${name}-(?P<id>[0-9]+)`,
          url_template: "https://a.test/{id}",
        })
      ).id,
    );
  const playground = { pygments_language: "Python", url_template: "https://a.test/{code}" };
  await owner.do("POST", "/realm/playgrounds", { ...playground, name: aName("kept").slice(0, 40) });
  const removed = await owner.do("POST", "/realm/playgrounds", { ...playground, name: aName("removed").slice(0, 40) });
  const fields: number[] = [];
  for (const name of ["home", "ship"])
    fields.push(
      (await owner.do("POST", "/realm/profile_fields", { name: unique(name).slice(0, 40), field_type: 1 })).id,
    );
  for (const person of [owner, other])
    await person.do("PATCH", "/users/me/profile_data", { data: fields.map((id) => ({ id, value: "an *isle*" })) });
  const domain = `${aName("isle").replaceAll("_", "")}.test`;
  await owner.do("POST", "/realm/domains", { domain, allow_subdomains: false });
  await expectFresh();

  await owner.do("DELETE", `/realm/emoji/${other_emoji}`);
  const { linkifiers } = await owner.do("GET", "/realm/linkifiers");
  await owner.do("PATCH", "/realm/linkifiers", {
    ordered_linkifier_ids: linkifiers.map(({ id }: any) => id).reverse(),
  });
  await owner.do("PATCH", `/realm/filters/${ids[0]}`, {
    pattern: `${aName("c")}-(?P<id>[0-9]+)`,
    url_template: "https://b.test/{id}",
  });
  await owner.do("DELETE", `/realm/filters/${ids[1]}`);
  await owner.do("DELETE", `/realm/playgrounds/${removed.id}`);
  await owner.do("DELETE", `/realm/profile_fields/${fields[0]}`);
  await owner.do("PATCH", `/realm/profile_fields/${fields[1]}`, { hint: "where" });
  await owner.do("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  await expectFresh();
  await owner.do("DELETE", `/realm/domains/${domain}`);
}

test("changes of what is one's own", async () => {
  const draft = { type: "private", to: [owner.id], topic: "", content: "spells" };
  const [first, second] = (await other.do("POST", "/drafts", { drafts: [draft, draft] })).ids;
  await other.do("PATCH", `/drafts/${first}`, { draft: { ...draft, content: "charms" } });
  await other.do("DELETE", `/drafts/${second}`);
  const message_id = await sendToChannel(owner, island, "own", "awake");
  const remind = (note: string) =>
    other.do("POST", "/reminders", { message_id, scheduled_delivery_timestamp: tomorrow(), note });
  const { reminder_id } = await remind("a");
  await remind("b");
  await other.do("DELETE", `/reminders/${reminder_id}`);
  const later = { type: "direct", to: [owner.id], content: "Awake", scheduled_delivery_timestamp: tomorrow() };
  const { scheduled_message_id: id } = await other.do("POST", "/scheduled_messages", later);
  await other.do("PATCH", `/scheduled_messages/${id}`, { content: "Awake, dear heart" });
  const gone = await other.do("POST", "/scheduled_messages", later);
  await other.do("DELETE", `/scheduled_messages/${gone.scheduled_message_id}`);
  const snippet = async (title: string) =>
    (await other.do("POST", "/saved_snippets", { title, content: "text" })).saved_snippet_id;
  await other.do("PATCH", `/saved_snippets/${await snippet("a")}`, { title: "c" });
  await other.do("DELETE", `/saved_snippets/${await snippet("b")}`);
  for (const fragment of ["narrow/is/alerted", "narrow/is/dm", "narrow/is/followed"])
    await other.do("POST", "/navigation_views", { fragment, is_pinned: true, name: unique("View") });
  await other.do("PATCH", "/navigation_views/narrow/is/alerted", { is_pinned: false, name: "Alerts" });
  await other.do("DELETE", "/navigation_views/narrow/is/dm");
  await other.do("POST", "/users/me/onboarding_steps", { onboarding_step: "intro_resolve_topic" });
  await other.do("POST", "/users/me/alert_words", { alert_words: ["ariel", "sprite"] });
  await other.do("DELETE", "/users/me/alert_words", { alert_words: ["ariel"] });
  // Before, while and after its sender is muted.
  const write = async (topic: string) => {
    const id = await sendToChannel(guest, island, topic, `@**${other.name}|${other.id}** good`);
    await Promise.all([sendDirect(guest, [other]), sendDirect(guest, [other, owner])]);
    return id;
  };
  const before = await write("before");
  await other.do("POST", `/users/me/muted_users/${stranger.id}`);
  await other.do("POST", `/users/me/muted_users/${guest.id}`);
  await write("while");
  await other.do("POST", "/messages/flags", { messages: [before], op: "remove", flag: "read" });
  await moveTopic(before, { topic: "before since" });
  await expectFresh();
  await other.do("DELETE", `/users/me/muted_users/${guest.id}`);
  await write("after");
  for (const [topic, visibility_policy] of [
    ["after", 1],
    ["before since", 2],
  ] as const)
    await other.do("POST", "/user_topics", { stream_id: island.id, topic, visibility_policy });
  await other.do("PATCH", "/settings", {
    enter_sends: true,
    color_scheme: 2,
    default_language: "de",
    timezone: "Europe/Berlin",
  });
  await other.do("POST", "/users/me/status", { status_text: "asleep", emoji_name: "zzz" });
  await guest.do("POST", "/users/me/status", { status_text: "awake", emoji_name: "car" });
  await guest.do("POST", "/users/me/status", { status_text: "" });
  await owner.do("POST", "/users/me/status", { status_text: "awake", emoji_name: "car" });
  await owner.do("POST", "/users/me/status", { status_text: "", emoji_name: "" });
  await expectFresh();
});

test("changes of the same thing at the same moment", async () => {
  // A fleet refuses many more calls at once.
  const steps = upTo(isLocal() ? 4 : 2);
  const channels = await Promise.all(steps.map((index) => aChannel(`moment ${index}`, [owner, other, guest])));
  const [isle = island] = channels;
  const draft = { type: "private", to: [owner.id], topic: "", content: "spells" };
  const [draftId] = (await other.do("POST", "/drafts", { drafts: [draft] })).ids;
  const folder = (await owner.do("POST", "/channel_folders/create", { name: unique("moment") })).channel_folder_id;
  const group = await owner.do("POST", "/user_groups/create", { name: unique("moment"), description: "", members: [] });
  const emoji = steps.map((index) => aName(`moment${index}`));
  const picture = () => ({ ...as(owner), ...multipart([{ filename: "c.png", content: png }]) });
  const step = (index: number): Promise<unknown>[] => [
    owner.call("POST", `/realm/emoji/${emoji[index]}`, {}, picture()),
    owner.call("POST", "/default_streams", { stream_id: channels[index]?.id }),
    other.call("PATCH", "/settings", { color_scheme: 1 + (index % 3), web_font_size_px: 13 + index }),
    other.call("POST", "/user_topics", { stream_id: isle.id, topic: "moment", visibility_policy: index }),
    other.call("POST", "/users/me/subscriptions/properties", {
      subscription_data: [
        { stream_id: isle.id, property: "pin_to_top", value: index % 2 === 0 },
        { stream_id: isle.id, property: "is_muted", value: index % 2 === 0 },
        { stream_id: isle.id, property: "color", value: `#11223${index}` },
      ],
    }),
    other.call("POST", "/users/me/status", { status_text: `moment ${index}` }),
    owner.call("PATCH", `/users/${stranger.id}`, { full_name: `Caliban ${index}` }),
    other.call("PATCH", `/drafts/${draftId}`, { draft: { ...draft, content: `spell ${index}` } }),
    owner.call("PATCH", `/channel_folders/${folder}`, { name: unique(`moment ${index}`) }),
    owner.call("PATCH", `/user_groups/${group.group_id}`, { name: unique(`moment ${index}`) }),
    owner.call("PATCH", `/streams/${isle.id}`, { description: `moment ${index}` }),
    owner.call("POST", `/user_groups/${group.group_id}/members`, { [index % 2 ? "add" : "delete"]: [other.id] }),
    other.call("POST", "/users/me/alert_words", { alert_words: [`moment${index}`] }),
    other.call("POST", `/users/me/muted_users/${[owner, guest, stranger, owner][index]?.id}`),
    owner.call(index % 2 ? "POST" : "DELETE", "/users/me/subscriptions", {
      ...{ subscriptions: index % 2 ? [{ name: isle.name }] : [isle.name], principals: [guest.id] },
    }),
  ];
  try {
    await Promise.all(steps.flatMap(step));
    await expectFresh();
  } finally {
    await Promise.all([
      ...emoji.map((name) => owner.call("DELETE", `/realm/emoji/${name}`)),
      ...channels.map(({ id }) => owner.call("DELETE", "/default_streams", { stream_id: id })),
      ...[owner, guest, stranger].map(({ id }) => other.call("DELETE", `/users/me/muted_users/${id}`)),
    ]);
  }
  await expectFresh();
});

test("changes that show people to a guest who sees only some, and hide them", async () => {
  const [limited, friend, hidden, joiner, writer, inYard] = await Promise.all([
    aPerson("Barnardine", { role: "guest" }),
    aPerson("Abhorson"),
    aPerson("Escalus"),
    aPerson("Pompey"),
    aPerson("Mariana"),
    aPerson("Lucio"),
  ]);
  const people = [friend, hidden, joiner, writer, inYard];
  const prison = await aChannel("prison", [limited, friend]);
  const yard = await aChannel("yard", [inYard, hidden]);
  const change = (method: "POST" | "DELETE", { name }: Channel, person: Person) =>
    owner.do(method, "/users/me/subscriptions", {
      ...{ subscriptions: method === "POST" ? [{ name }] : [name], principals: [person.id] },
    });
  await withSettings({ can_access_all_users_group: members }, async () => {
    const partialList = { notification_settings_null: true, user_list_incomplete: true };
    const readers = await Promise.all([
      LiveState.register(limited),
      LiveState.register(limited, oldestClient),
      LiveState.register(limited, { ...oldestClient, client_capabilities: partialList }),
    ]);
    const setStatuses = async (status_text: string) => {
      for (const person of people) await person.do("POST", "/users/me/status", { status_text });
    };
    for (const person of people) await person.do("POST", "/users/me/presence", { status: "active", ping_only: true });
    await setStatuses("busy");
    const group = await owner.do("POST", "/user_groups/create", {
      ...{ name: unique("prisoners"), description: "", members: [limited.id, hidden.id] },
    });
    const who = await sendDirect(writer, [limited], "Who's there?");
    await change("POST", prison, joiner);
    await change("POST", yard, limited);
    await expectFresh(readers);

    await change("DELETE", prison, joiner);
    await change("DELETE", yard, limited);
    await setStatuses("free");
    await owner.do("DELETE", `/users/${friend.id}`);
    await owner.do("PATCH", `/users/${hidden.id}`, { full_name: unique("Escalus").slice(0, 40), role: 300 });
    await owner.do("POST", `/user_groups/${group.group_id}/members`, { add: [inYard.id], delete: [hidden.id] });
    await expectFresh(readers);

    await owner.do("POST", `/users/${friend.id}/reactivate`);
    await change("POST", yard, limited);
    await expectFresh(readers);

    // Whoever shares but conversations with the guest is hidden with the last message of these, and shown with the next one.
    const conversations = [[limited], [limited, joiner]];
    for (const person of [writer, joiner]) await person.do("POST", "/users/me/status", { status_text: "writing" });
    const sent = [who, ...(await Promise.all(conversations.map((to) => sendDirect(writer, to))))];
    await expectFresh(readers);
    for (const [index, id] of sent.entries()) {
      await writer.do("DELETE", `/messages/${id}`);
      await setStatuses(`deleted ${index}`);
      // No event says what else there is in a conversation.
      await expectFresh(readers, ["recent_private_conversations"]);
    }
    await Promise.all(conversations.map((to) => sendDirect(writer, to)));
    await expectFresh(readers);
  });
});
