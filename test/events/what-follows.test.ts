import { isDeepStrictEqual } from "node:util";
import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { sendToChannel } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * What a change does to each thing that hangs on what is changed: the tables of docs/data-model.md, as a new registration shows it.
 * That events say the same is the subject of live-state.test.ts; visibility policies in all their combinations, of
 * moved-topics.test.ts.
 */

let owner: Person;
let other: Person;
let guest: Person;
beforeAll(async () => {
  [owner, other, guest] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda"),
    aPerson("Ferdinand", { role: "guest" }),
  ]);
});

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
const word = unique("tempest").replaceAll(/\W+/g, "").toLowerCase();
const fragmentOf = ({ id }: Channel, topic: string) => `narrow/channel/${id}-x/topic/${topic.replaceAll(" ", ".20")}`;

/** A topic's name, which no two have, and its two messages, of which the second is unread by all and mentions all. */
interface Subject {
  channel: Channel;
  topic: string;
  messages: [number, number];
}

/**
 * Puts everything on a topic that can hang on it, for each of the people. Each person does one thing after the other, and
 * so do the changes below: as many at the same moment contend for the log of a slow fleet until it refuses some.
 */
async function aSubject(channel: Channel, topic: string, people: readonly Person[]): Promise<Subject> {
  const mentions = people.map(({ name, id }) => `@**${name}|${id}**`).join(" ");
  const messages: [number, number] = [
    await sendToChannel(owner, channel, topic, "boatswain"),
    await sendToChannel(owner, channel, topic, `${mentions} here, master ${word}`),
  ];
  const to = { to: channel.id, topic, content: "good" };
  await Promise.all(
    people.map(async (person) => {
      await person.do("POST", "/messages/flags", { messages, op: "add", flag: "starred" });
      await person.do("POST", "/user_topics", { stream_id: channel.id, topic, visibility_policy: 3 });
      await person.do("POST", "/drafts", { drafts: [{ ...to, type: "stream", to: [channel.id] }] });
      await person.do("POST", "/reminders", { message_id: messages[1], scheduled_delivery_timestamp: tomorrow() });
      await person.do("POST", "/scheduled_messages", {
        ...{ ...to, type: "channel", scheduled_delivery_timestamp: tomorrow() },
      });
      const view = { fragment: fragmentOf(channel, topic), is_pinned: true, name: unique("Tempest") };
      await person.do("POST", "/navigation_views", view);
    }),
  );
  return { channel, topic, messages };
}

const register = (person: Person) =>
  person.do("POST", "/register", {
    client_capabilities: { notification_settings_null: true, archived_channels: true, empty_topic_name: true },
  });

/** A place in a channel: "source" or "target", and the topic. */
type Place = string;
type PlaceOf = (channelId: number, topic: string) => Place;

/** What a registration says of everything that hangs on a topic. */
function shown(state: any, { channel, topic, messages }: Subject, placeOf: PlaceOf) {
  const unread = state.unread_msgs.streams.flatMap((one: any) =>
    one.unread_message_ids
      .filter((id: number) => messages.includes(id))
      .map((id: number) => `${messages.indexOf(id)} in ${placeOf(one.stream_id, one.topic)}`),
  );
  const policies = state.user_topics
    .map((one: any) => `${one.visibility_policy} for ${placeOf(one.stream_id, one.topic_name)}`)
    .filter((text: string) => !text.endsWith("elsewhere"));
  return {
    unread: unread.sort(),
    mentioned: state.unread_msgs.mentions.includes(messages[1]),
    starred: messages.map((id) => state.starred_messages.includes(id)),
    policies: policies.sort(),
    drafts: state.drafts.filter((one: any) => one.to[0] === channel.id && one.topic === topic).length,
    scheduled: state.scheduled_messages.filter((one: any) => one.to === channel.id && one.topic === topic).length,
    reminders: state.reminders.filter((one: any) => one.reminder_target_message_id === messages[1]).length,
    views: state.navigation_views.filter((one: any) => one.fragment === fragmentOf(channel, topic)).length,
  };
}

/** What a search in a place finds. */
async function found(person: Person, subject: Subject, place: { channel: Channel; topic: string }): Promise<boolean> {
  const { body } = await person.call("GET", "/messages", {
    ...{ anchor: "newest", num_before: 50, num_after: 0 },
    narrow: [
      { operator: "channel", operand: place.channel.id },
      { operator: "topic", operand: place.topic },
      { operator: "search", operand: word },
    ],
  });
  return (body.messages ?? []).some(({ id }: { id: number }) => id === subject.messages[1]);
}

const kept = { drafts: 1, scheduled: 1, reminders: 1, views: 1 };
const whole = { ...kept, unread: ["0 in target", "1 in target"], mentioned: true, starred: [true, true] };
const carried = { ...whole, policies: ["3 for target"] };
const gone = { ...kept, unread: [], mentioned: false, starred: [false, false] };

interface TopicChange {
  name: string;
  target: string;
  toChannel?: "public" | "private";
  make(subject: Subject, targetId: number): Promise<unknown>;
  /** For a subscriber of all channels, and where it is another, for a guest who is in none of the others. */
  expected: object;
  forGuest?: object;
  isFound: boolean;
}

const move =
  (topic: string, params: Record<string, unknown> = {}) =>
  ({ messages, channel }: Subject, targetId: number) =>
    owner.do("PATCH", `/messages/${messages[1]}`, {
      ...{ topic, propagate_mode: "change_all", ...(targetId !== channel.id && { stream_id: targetId }), ...params },
      send_notification_to_new_thread: false,
    });

const topicChanges: TopicChange[] = [
  { name: "renamed", target: "since", make: move("since"), expected: carried, isFound: true },
  { name: "resolved", target: "✔ resolved", make: move("✔ resolved"), expected: carried, isFound: true },
  { name: "merged", target: "calm", make: move("calm"), expected: carried, isFound: true },
  {
    name: "split",
    target: "split off",
    make: move("split off", { propagate_mode: "change_one" }),
    expected: { ...whole, unread: ["0 in source", "1 in target"], policies: ["3 for source"] },
    isFound: true,
  },
  {
    name: "moved",
    ...{ target: "moved", toChannel: "public", make: move("moved"), expected: carried, isFound: true },
    forGuest: { ...gone, policies: [] },
  },
  {
    name: "hidden",
    ...{ target: "hidden", toChannel: "private", make: move("hidden"), expected: carried, isFound: true },
    forGuest: { ...gone, policies: [] },
  },
  {
    name: "deleted",
    target: "deleted since",
    make: ({ channel }) => owner.do("POST", `/streams/${channel.id}/delete_topic`, { topic_name: "deleted" }),
    expected: { ...gone, policies: ["3 for source"] },
    isFound: false,
  },
];

test("what hangs on a topic is carried, merged, kept or dropped as its messages move", async () => {
  const people = [other, guest];
  const [source, beach, cell] = await Promise.all([
    aChannel("isle", [owner, other, guest]),
    aChannel("beach", [owner, other]),
    aChannel("cell", [owner, other], { inviteOnly: true, historyPublicToSubscribers: true }),
  ]);
  const targetOf = ({ toChannel }: TopicChange) => (toChannel ? { public: beach, private: cell }[toChannel] : source);
  await sendToChannel(owner, source, "calm");
  const subjects: Subject[] = [];
  for (const { name } of topicChanges) subjects.push(await aSubject(source, name, people));

  for (const [index, change] of topicChanges.entries())
    await change.make(subjects[index] as Subject, targetOf(change).id);

  for (const person of people) {
    // Jobs drop stars, or write their new place, and the search index follows the log.
    const starsOf = (state: any) =>
      subjects.map(({ messages }) => messages.map((id) => state.starred_messages.includes(id)));
    const expectedOf = (change: TopicChange) => (person === guest ? change.forGuest : undefined) ?? change.expected;
    const expectedStars = topicChanges.map((change) => (expectedOf(change) as typeof whole).starred);
    await eventually(async () => isDeepStrictEqual(starsOf(await register(person)), expectedStars), 30);
    const state = await register(person);
    for (const [index, change] of topicChanges.entries()) {
      const subject = subjects[index] as Subject;
      const target = targetOf(change);
      const placeOf: PlaceOf = (channelId, topic) => {
        if (channelId === source.id && topic === change.name) return "source";
        return channelId === target.id && topic === change.target ? "target" : "elsewhere";
      };
      expect(shown(state, subject, placeOf), `${change.name} for ${person.name}`).toEqual(expectedOf(change));
      const isFound = change.isFound && !(person === guest && change.forGuest);
      const inTarget = { channel: target, topic: change.target };
      await eventually(async () => (await found(person, subject, inTarget)) === isFound, 30);
      expect(await found(person, subject, { channel: source, topic: change.name }), change.name).toBe(false);
    }
  }
});

/** The subscription with what its owner has set, and in which list it is. */
function subscriptionIn(state: any, { id }: Channel) {
  for (const list of ["subscriptions", "unsubscribed", "never_subscribed"]) {
    const one = state[list].find(({ stream_id }: any) => stream_id === id);
    if (one) return `${list} ${one.color ?? ""} ${one.pin_to_top ?? ""}${one.is_archived ? " archived" : ""}`.trimEnd();
  }
  return "none";
}

interface ChannelChange {
  name: string;
  isPrivate?: boolean;
  make(channel: Channel): Promise<unknown>;
  subscription: string;
  expected: object;
  forGuest?: object;
  guestSubscription?: string;
}

const untouched = {
  ...{ ...kept, unread: ["0 in source", "1 in source"], mentioned: true, starred: [true, true] },
  policies: ["3 for source"],
};
const read = { ...untouched, unread: [], mentioned: false };
const own = "#112233 true";
const edit = (channel: Channel, params: Record<string, unknown>) => owner.do("PATCH", `/streams/${channel.id}`, params);
const remove = (channel: Channel) =>
  owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name], principals: [other.id, guest.id] });
const add = (channel: Channel) =>
  owner.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: channel.name }],
    principals: [other.id, guest.id],
  });

const channelChanges: ChannelChange[] = [
  {
    name: "archived",
    make: ({ id }) => owner.do("DELETE", `/streams/${id}`),
    subscription: `subscriptions ${own} archived`,
    expected: read,
  },
  {
    name: "restored",
    make: async (channel) => {
      await owner.do("DELETE", `/streams/${channel.id}`);
      await edit(channel, { is_archived: false });
    },
    subscription: `subscriptions ${own}`,
    expected: read,
  },
  {
    name: "renamed",
    make: (channel) => edit(channel, { new_name: unique("renamed since") }),
    subscription: `subscriptions ${own}`,
    expected: untouched,
  },
  {
    name: "closed",
    make: (channel) => edit(channel, { is_private: true, history_public_to_subscribers: true }),
    subscription: `subscriptions ${own}`,
    expected: untouched,
  },
  {
    name: "opened",
    isPrivate: true,
    make: (channel) => edit(channel, { is_private: false }),
    subscription: `subscriptions ${own}`,
    expected: untouched,
  },
  {
    name: "left",
    make: remove,
    ...{ subscription: `unsubscribed ${own}`, guestSubscription: "none", expected: read },
    forGuest: { ...read, starred: [false, false] },
  },
  {
    name: "lost",
    ...{ isPrivate: true, make: remove, subscription: "none", expected: { ...read, starred: [false, false] } },
  },
  {
    name: "left and joined again",
    make: async (channel) => {
      await remove(channel);
      await add(channel);
    },
    ...{ subscription: `subscriptions ${own}`, expected: read },
  },
  {
    name: "lost and joined again",
    isPrivate: true,
    make: async (channel) => {
      await remove(channel);
      await add(channel);
    },
    ...{ subscription: `subscriptions ${own}`, expected: read },
  },
];

test("what hangs on a channel is kept, read or put out of sight as the channel changes", async () => {
  const people = [other, guest];
  const subjects: Subject[] = [];
  for (const { name, isPrivate = false } of channelChanges) {
    const options = isPrivate ? { inviteOnly: true, historyPublicToSubscribers: true } : {};
    const channel = await aChannel(name, [owner, other, guest], options);
    subjects.push(await aSubject(channel, "tempest", people));
    for (const person of people)
      await person.do("POST", "/users/me/subscriptions/properties", {
        subscription_data: [
          { stream_id: channel.id, property: "color", value: "#112233" },
          { stream_id: channel.id, property: "pin_to_top", value: true },
        ],
      });
  }

  for (const [index, change] of channelChanges.entries()) await change.make((subjects[index] as Subject).channel);

  const outcomeOf = (state: any, isGuest: boolean) =>
    Object.fromEntries(
      channelChanges.map((change, index) => {
        const subject = subjects[index] as Subject;
        const placeOf: PlaceOf = (id, topic) =>
          id === subject.channel.id && topic === subject.topic ? "source" : "elsewhere";
        const name = `${change.name}${isGuest ? " for a guest" : ""}`;
        return [name, { subscription: subscriptionIn(state, subject.channel), ...shown(state, subject, placeOf) }];
      }),
    );
  for (const person of people) {
    const isGuest = person === guest;
    // A job marks messages as read.
    await expect
      .poll(async () => outcomeOf(await register(person), isGuest))
      .toEqual(
        Object.fromEntries(
          channelChanges.map(({ name, expected, forGuest, subscription, guestSubscription }) => [
            `${name}${isGuest ? " for a guest" : ""}`,
            isGuest
              ? { subscription: guestSubscription ?? subscription, ...(forGuest ?? expected) }
              : { subscription, ...expected },
          ]),
        ),
      );
  }
});

test("what hangs on a person ends with their deactivation, or is kept, and comes back with their reactivation", async () => {
  const leaver = await aPerson("Ariel", { role: "administrator" });
  const channel = await aChannel("tree", [owner, leaver]);
  const bot = await leaver.do("POST", "/bots", { full_name: "Robin", short_name: `robin-${word}` });
  const { group_id: groupId } = await owner.do("POST", "/user_groups/create", {
    ...{ name: unique("spirits"), description: "", members: [owner.id, leaver.id] },
  });
  const field = await owner.do("POST", "/realm/profile_fields", { name: unique("master").slice(0, 40), field_type: 6 });
  const message = await sendToChannel(leaver, channel, "song");
  await other.do("POST", `/messages/${message}/reactions`, { emoji_name: "car" });
  await Promise.all([
    other.do("PATCH", "/users/me/profile_data", { data: [{ id: field.id, value: [leaver.id] }] }),
    other.do("POST", `/users/me/muted_users/${leaver.id}`),
    leaver.do("POST", "/users/me/status", { status_text: "in the clouds" }),
    leaver.do("POST", "/users/me/presence", { status: "active", ping_only: true }),
    leaver.do("POST", "/drafts", { drafts: [{ type: "private", to: [owner.id], topic: "", content: "hail" }] }),
    leaver.do("POST", "/invites/multiuse"),
    owner.do("PATCH", `/streams/${channel.id}`, {
      can_send_message_group: { new: { direct_members: [owner.id, leaver.id], direct_subgroups: [] } },
    }),
  ]);
  const shownOfPerson = async () => {
    const [state, members, { messages }, { invites }, { presences }] = await Promise.all([
      register(owner),
      owner.do("GET", `/streams/${channel.id}/members`),
      owner.do("GET", "/messages", { anchor: message, num_before: 0, num_after: 0 }),
      owner.do("GET", "/invites"),
      owner.do("GET", "/realm/presence"),
    ]);
    const { muted_users: muted } = await other.do("POST", "/register", { fetch_event_types: ["muted_users"] });
    const { user } = await owner.do("GET", `/users/${other.id}`, { include_custom_profile_fields: true });
    const ids = (users: any[]) => users.map(({ user_id }) => user_id);
    const permission = state.subscriptions.find((one: any) => one.stream_id === channel.id).can_send_message_group;
    return {
      isActive: ids(state.realm_users).includes(leaver.id),
      isBotActive: ids(state.realm_users).includes(bot.user_id),
      isSubscribed: members.subscribers.includes(leaver.id),
      isInGroup: state.realm_user_groups.find(({ id }: any) => id === groupId).members.includes(leaver.id),
      isPermitted: typeof permission === "object" && permission.direct_members.includes(leaver.id),
      invitations: invites.filter((one: any) => one.invited_by_user_id === leaver.id).length,
      status: state.user_status[leaver.id]?.status_text,
      isPresent: presences[leaver.email] !== undefined,
      reactions: messages[0]?.reactions.length,
      isMuted: muted.some(({ id }: any) => id === leaver.id),
      isInField: user.profile_data[field.id]?.value,
    };
  };
  const keptOfPerson = {
    ...{ status: "in the clouds", reactions: 1, isMuted: true, isInField: JSON.stringify([leaver.id]) },
  };
  const present = { isActive: true, isSubscribed: true, isInGroup: true, isPermitted: true, isPresent: true };
  const absent = { isActive: false, isSubscribed: false, isInGroup: false, isPermitted: false, isPresent: false };
  const ended = { isBotActive: false, invitations: 0 };
  await expect.poll(shownOfPerson).toEqual({ ...keptOfPerson, ...present, isBotActive: true, invitations: 1 });

  await owner.do("DELETE", `/users/${leaver.id}`);
  await expect.poll(shownOfPerson).toEqual({ ...keptOfPerson, ...absent, ...ended });

  await owner.do("POST", `/users/${leaver.id}/reactivate`);
  await expect.poll(shownOfPerson).toEqual({ ...keptOfPerson, ...present, ...ended });
  const { drafts } = await leaver.do("GET", "/drafts");
  expect(drafts).toMatchObject([{ content: "hail" }]);
  await owner.do("DELETE", `/realm/profile_fields/${field.id}`);
});
