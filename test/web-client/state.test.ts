import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { applyEvents } from "../../web/state/events/reducer.ts";
import { mergeRun } from "../../web/state/lists.ts";
import type { State } from "../../web/state/model.ts";
import { capabilities, stateOf } from "../../web/state/snapshot.ts";
import { unreadIdsIn } from "../../web/state/unread.ts";
import { directConversations, sortedSubscriptions, unreadCount } from "../../web/views/conversations/channel-lists.ts";
import { exposeHost } from "../support/hosts/expose-host.ts";
import { listen } from "../support/listener.ts";
import { LiveState } from "../support/model/live-state.ts";
import { byPythonClient } from "../support/outside/python-person.ts";
import { randomFrom } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { inSeconds } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Checks that the web client's state after applying events to a snapshot equals a fresh snapshot. */

const options = {
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: true,
  include_subscribers: false,
  client_capabilities: capabilities,
};

/** Fields of the state that differ between two registrations, or are only fetched. */
const notCompared = [
  "queueId",
  "lastEventId",
  "presences",
  "presenceUpdateId",
  "presencesAt",
  "messages",
  "lists",
  "typing",
];
/** Other test files change the organization meanwhile. */
const shared = ["realm", "realmEmoji", "profileFields", "restarts"];

/** Maps and sets as sorted lists, so that the difference between two states can be read. */
function sorted(value: unknown): unknown {
  if (value instanceof Set) return [...value].sort((a, b) => (a < b ? -1 : 1));
  if (value instanceof Map)
    return Object.fromEntries(
      [...value].map(([key, entry]) => [key, sorted(entry)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, sorted(entry)]));
}

const only = <T>(map: ReadonlyMap<number, T>, ids: ReadonlySet<number>) =>
  new Map([...map].filter(([id]) => ids.has(id)));

/** Topics that differ only in case are one topic. A page spells it as in the first message that it knows, a registration as in the last. */
const inOneCase = ({ unread }: State) => ({
  ...unread,
  byConversation: new Map([...unread.byConversation].map(([key, { ids }]) => [key, ids])),
});

/** What of a state belongs to a history, and what the page shows of it. */
function comparable(state: State, { channelIds, userIds, groupIds, folderIds }: History) {
  const rest = Object.fromEntries(
    Object.entries(state).filter(([name]) => !notCompared.includes(name) && !shared.includes(name)),
  );
  const channels = [...only(state.channels, new Set(channelIds))].map(
    ([id, { stream_weekly_traffic, ...channel }]) => [id, channel] as const,
  );
  return sorted({
    ...rest,
    unread: inOneCase(state),
    channels: new Map(channels),
    users: only(state.users, new Set(userIds)),
    groups: only(state.groups, new Set(groupIds)),
    folders: only(state.folders, new Set(folderIds)),
    statuses: only(state.statuses, new Set(userIds)),
    unreadCount: unreadCount(state),
    sidebar: sortedSubscriptions(state).map(({ channel, unread, mentions, topics }) => ({
      name: channel.name,
      unread,
      mentions,
      topics: topics.map(({ conversation, unread: count }) => [conversation.topic.toLowerCase(), count]).sort(),
    })),
    directConversations: directConversations(state),
  });
}

interface Actors {
  me: Person;
  other: Person;
  third: Person;
  admin: Person;
}

interface History {
  random: (below: number) => number;
  channelIds: number[];
  userIds: number[];
  groupIds: number[];
  folderIds: number[];
  messageIds: number[];
}

type Operation = (actors: Actors, history: History) => Promise<unknown>;

const pick = <T>({ random }: History, items: readonly T[]): T => items[random(items.length)] as T;
const chance = ({ random }: History) => random(2) === 0;
const topic = (history: History) => pick(history, ["t0", "t1", "T1", "✔ t0", ""]);
const channel = (history: History) => pick(history, history.channelIds);
const message = (history: History) => pick(history, history.messageIds);
/** Once out of `times`, for what would end too much of a history. */
const rarely =
  (times: number, operation: Operation): Operation =>
  async (actors, history) =>
    history.random(times) === 0 ? operation(actors, history) : undefined;

async function sendAs(sender: Person, history: History, params: Record<string, unknown>): Promise<void> {
  const { body } = await sender.call("POST", "/messages", params);
  if (body.id) history.messageIds.push(body.id);
}
const text = ({ me }: Actors, history: History) =>
  `${pick(history, ["", `@**${me.name}|${me.id}**`, "@**all**", "@**topic**"])} number ${history.random(1000)}`;

/** The ID of one of the caller's own items, as their registration lists them. */
async function ownItem(person: Person, history: History, field: string, idField: string): Promise<unknown> {
  const { [field]: items } = await person.do("POST", "/register", { fetch_event_types: [field] });
  return pick(history, items as any[])?.[idField] ?? 0;
}

/** Requests of which a test makes random ones, by what they change. Those that are refused change nothing. */
const operations: Record<string, Operation> = {
  "send to a channel": (actors, history) =>
    sendAs(pick(history, [actors.other, actors.other, actors.me]), history, {
      type: "channel",
      to: channel(history),
      topic: topic(history),
      content: text(actors, history),
    }),
  "send directly": (actors, history) =>
    sendAs(actors.other, history, {
      type: "direct",
      to: pick(history, [[actors.me.id], [actors.me.id, actors.third.id]]),
      content: text(actors, history),
    }),
  flags: ({ me }, history) =>
    me.call("POST", "/messages/flags", {
      messages: [message(history), message(history)],
      op: chance(history) ? "add" : "remove",
      flag: pick(history, ["read", "read", "starred", "collapsed"]),
    }),
  "read a topic": ({ me }, history) =>
    me.call("POST", "/mark_topic_as_read", { stream_id: channel(history), topic_name: topic(history) }),
  "read a channel": ({ me }, history) => me.call("POST", "/mark_stream_as_read", { stream_id: channel(history) }),
  "read everything": rarely(4, ({ me }) => me.call("POST", "/mark_all_as_read")),
  "edit a text": (actors, history) =>
    actors.other.call("PATCH", `/messages/${message(history)}`, { content: text(actors, history) }),
  "move a topic": ({ admin }, history) =>
    admin.call("PATCH", `/messages/${message(history)}`, {
      topic: topic(history),
      propagate_mode: pick(history, ["change_one", "change_later", "change_all"]),
    }),
  "move to a channel": ({ admin }, history) =>
    admin.call("PATCH", `/messages/${message(history)}`, {
      stream_id: channel(history),
      propagate_mode: pick(history, ["change_one", "change_later", "change_all"]),
    }),
  "delete a message": ({ admin }, history) => admin.call("DELETE", `/messages/${message(history)}`),
  "delete a topic": rarely(3, ({ admin }, history) =>
    admin.call("POST", `/streams/${channel(history)}/delete_topic`, { topic_name: topic(history) }),
  ),
  react: ({ other }, history) =>
    other.call(chance(history) ? "POST" : "DELETE", `/messages/${message(history)}/reactions`, { emoji_name: "tada" }),
  "topic policy": ({ me }, history) =>
    me.call("POST", "/user_topics", {
      stream_id: channel(history),
      topic: topic(history),
      visibility_policy: history.random(4),
    }),
  "subscription property": ({ me }, history) =>
    me.call("POST", "/users/me/subscriptions/properties", {
      subscription_data: [
        {
          stream_id: channel(history),
          ...pick(history, [
            { property: "pin_to_top", value: chance(history) },
            { property: "is_muted", value: chance(history) },
            { property: "color", value: pick(history, ["#112233", "#445566"]) },
            { property: "push_notifications", value: chance(history) },
          ]),
        },
      ],
    }),
  "leave or join": async ({ me, admin }, history) => {
    const { body } = await admin.call("GET", `/streams/${channel(history)}`);
    const { name } = body.stream;
    const [actor, principals] = chance(history) ? [me, undefined] : [admin, [me.id]];
    if (chance(history)) return actor.call("DELETE", "/users/me/subscriptions", { subscriptions: [name], principals });
    return actor.call("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals });
  },
  "others leave or join": async ({ other, admin }, history) => {
    const { body } = await admin.call("GET", `/streams/${channel(history)}`);
    const { name } = body.stream;
    if (chance(history)) return other.call("DELETE", "/users/me/subscriptions", { subscriptions: [name] });
    return admin.call("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [other.id] });
  },
  "archive or unarchive": ({ admin }, history) =>
    chance(history)
      ? admin.call("DELETE", `/streams/${channel(history)}`)
      : admin.call("PATCH", `/streams/${channel(history)}`, { is_archived: false }),
  "change a channel": ({ admin, me }, history) =>
    admin.call(
      "PATCH",
      `/streams/${channel(history)}`,
      pick<Record<string, unknown>>(history, [
        { new_name: unique("renamed") },
        { description: `about ${history.random(100)}` },
        { is_private: true, history_public_to_subscribers: chance(history) },
        { is_private: false, is_web_public: false },
        { folder_id: history.folderIds.length > 0 ? pick(history, history.folderIds) : null },
        { topics_policy: pick(history, ["allow_empty_topic", "disable_empty_topic", "inherit"]) },
        { can_subscribe_group: { new: { direct_members: [me.id], direct_subgroups: [] } } },
        { can_send_message_group: { new: { direct_members: [me.id], direct_subgroups: [] } } },
      ]),
    ),
  "create a channel": rarely(2, async ({ admin, me }, history) => {
    const { body } = await admin.call("POST", "/channels/create", {
      name: unique("created"),
      subscribers: chance(history) ? [me.id, admin.id] : [admin.id],
      invite_only: chance(history),
    });
    if (body.id) history.channelIds.push(body.id);
  }),
  folder: async ({ admin }, history) => {
    const id = pick(history, history.folderIds);
    if (id && chance(history))
      return admin.call("PATCH", `/channel_folders/${id}`, { name: unique("folder"), is_archived: chance(history) });
    const { body } = await admin.call("POST", "/channel_folders/create", { name: unique("folder") });
    if (body.channel_folder_id) history.folderIds.push(body.channel_folder_id);
    return body;
  },
  group: async ({ admin, me, other }, history) => {
    const id = pick(history, history.groupIds);
    if (!id || history.random(3) === 0) {
      const { body } = await admin.call("POST", "/user_groups/create", {
        name: unique("group"),
        description: "",
        members: [other.id],
      });
      if (body.group_id) history.groupIds.push(body.group_id);
      return body;
    }
    const changeMembers = { add: [pick(history, [me.id, other.id])], delete: [] };
    const removeMembers = { add: [], delete: [pick(history, [me.id, other.id])] };
    return pick<() => Promise<unknown>>(history, [
      () => admin.call("POST", `/user_groups/${id}/members`, chance(history) ? changeMembers : removeMembers),
      () => admin.call("PATCH", `/user_groups/${id}`, { name: unique("group") }),
      () => admin.call("POST", `/user_groups/${id}/subgroups`, { add: [pick(history, history.groupIds)] }),
      () => admin.call("POST", `/user_groups/${id}/deactivate`),
    ])();
  },
  "my role": rarely(3, ({ admin, me }, history) =>
    admin.call("PATCH", `/users/${me.id}`, { role: pick(history, [400, 400, 600, 300]) }),
  ),
  "another's account": ({ admin, third }, history) =>
    pick<() => Promise<unknown>>(history, [
      () => admin.call("PATCH", `/users/${third.id}`, { role: pick(history, [400, 600, 300]) }),
      () => admin.call("PATCH", `/users/${third.id}`, { full_name: `Third ${history.random(100)}` }),
      () => admin.call("DELETE", `/users/${third.id}`),
      () => admin.call("POST", `/users/${third.id}/reactivate`),
    ])(),
  "mute a user": ({ me, other, third }, history) =>
    me.call(chance(history) ? "POST" : "DELETE", `/users/me/muted_users/${pick(history, [other, third]).id}`),
  settings: ({ me }, history) =>
    me.call("PATCH", "/settings", {
      enter_sends: chance(history),
      color_scheme: 1 + history.random(3),
      twenty_four_hour_time: chance(history),
    }),
  draft: async ({ me }, history) => {
    const draft = { type: "", to: [], topic: "", content: `draft ${history.random(100)}`, timestamp: 1_700_000_000 };
    if (chance(history)) return me.call("POST", "/drafts", { drafts: [draft] });
    const id = await ownItem(me, history, "drafts", "id");
    return chance(history) ? me.call("PATCH", `/drafts/${id}`, { draft }) : me.call("DELETE", `/drafts/${id}`);
  },
  "scheduled message": async ({ me, other }, history) => {
    const scheduled_delivery_timestamp = inSeconds(100_000 + history.random(1000));
    const content = `later ${history.random(100)}`;
    const to = pick(history, [
      { type: "channel", to: channel(history), topic: "t" },
      { type: "direct", to: [other.id] },
    ]);
    if (chance(history))
      return me.call("POST", "/scheduled_messages", { ...to, content, scheduled_delivery_timestamp });
    const id = await ownItem(me, history, "scheduled_messages", "scheduled_message_id");
    const path = `/scheduled_messages/${id}`;
    return chance(history) ? me.call("PATCH", path, { content }) : me.call("DELETE", path);
  },
  reminder: async ({ me }, history) => {
    const scheduled_delivery_timestamp = inSeconds(100_000 + history.random(1000));
    if (chance(history))
      return me.call("POST", "/reminders", { message_id: message(history), scheduled_delivery_timestamp });
    return me.call("DELETE", `/reminders/${await ownItem(me, history, "reminders", "reminder_id")}`);
  },
  status: ({ me, other }, history) =>
    pick(history, [me, other]).call(
      "POST",
      "/users/me/status",
      pick<Record<string, unknown>>(history, [
        { status_text: `busy ${history.random(100)}` },
        { status_text: "", emoji_name: "" },
        { emoji_name: "car" },
      ]),
    ),
  snippet: async ({ me }, history) => {
    const content = `snippet ${history.random(100)}`;
    if (chance(history)) return me.call("POST", "/saved_snippets", { title: "a title", content });
    const path = `/saved_snippets/${await ownItem(me, history, "saved_snippets", "id")}`;
    return chance(history) ? me.call("PATCH", path, { content }) : me.call("DELETE", path);
  },
};

const operationCount = 60;
/** How many operations are between two polls of the tab that is seldom awake. */
const pollInterval = 7;
/** Jobs that an operation leaves to the background are done within this time. */
const settlingMs = 10_000;

/** What the second reader, a client without a state, finds unread. */
async function foundUnread(me: Person): Promise<number[]> {
  const narrow = [{ operator: "is", operand: "unread" }];
  const { messages } = await me.do("GET", "/messages", { anchor: "oldest", num_before: 0, num_after: 1000, narrow });
  return messages.map(({ id }: { id: number }) => id);
}

test.each([1, 2, 3])(
  "after each of many random changes, a page that follows events shows what a page that is reloaded shows (seed %i)",
  async (seed) => {
    const [me, other, third, admin] = await Promise.all([
      aPerson("Rosalind"),
      aPerson("Orlando"),
      aPerson("Silvius"),
      aPerson("Duke", { role: "administrator" }),
    ]);
    const actors = { me, other, third, admin };
    const channels = await Promise.all([
      aChannel("arden", [me, other, admin]),
      aChannel("court", [me, other, admin]),
      aChannel("farm", [other, admin]),
    ]);
    const random = randomFrom(seed);
    const history: History = {
      random: (below) => Math.floor(random() * below),
      channelIds: channels.map(({ id }) => id),
      userIds: [me, other, third, admin].map(({ id }) => id),
      groupIds: [],
      folderIds: [],
      messageIds: [],
    };
    for (let count = 0; count < 5; count++) await operations["send to a channel"]?.(actors, history);
    const [awake, drowsy] = [await listen(me, options), await listen(me, options)];
    // A third reader, with an event queue of its own: the Python client.
    const exposed = await exposeHost();
    const python = await byPythonClient(me, exposed.url);
    const follower = await LiveState.register(python.person);
    let state = stateOf(awake.state);
    let drowsyState = stateOf(drowsy.state);
    const catchUp = async () => {
      state = applyEvents(state, await awake.poll(), [], Date.now());
    };
    const reload = async () => {
      const { body } = await me.call("POST", "/register", options);
      await me.do("DELETE", "/events", { queue_id: body.queue_id });
      return stateOf(body);
    };
    const expectEqual = async (where: string) => {
      for (const end = Date.now() + settlingMs; ; ) {
        await catchUp();
        const shown = comparable(state, history);
        const reloaded = comparable(await reload(), history);
        const found = (await foundUnread(me)).sort((a, b) => a - b);
        const unread = unreadIdsIn(state.unread, { kind: "everything" });
        const differs = !isDeepStrictEqual(shown, reloaded) || !isDeepStrictEqual(found, unread);
        if (differs && Date.now() < end) continue;
        expect(shown, where).toEqual(reloaded);
        expect(unread, where).toEqual(found);
        return;
      }
    };

    const names = Object.keys(operations);
    for (let step = 0; step < operationCount; step++) {
      const name = pick(history, names);
      await operations[name]?.(actors, history);
      await expectEqual(`step ${step}: ${name}`);
      if (step % pollInterval !== 0) continue;
      drowsyState = applyEvents(drowsyState, await drowsy.poll(), [], Date.now());
      expect(await follower.differencesToFresh(), `step ${step}: ${name}`).toEqual({});
    }
    drowsyState = applyEvents(drowsyState, await drowsy.poll(), [], Date.now());
    await expectEqual("at the end");
    expect(comparable(drowsyState, history)).toEqual(comparable(state, history));
    expect(await follower.differencesToFresh()).toEqual({});
    python.close();
    exposed.close();
  },
  240_000,
);

test("applying the same events twice gives the same state as applying them once", async () => {
  const [me, other] = [await aPerson("Rosalind"), await aPerson("Orlando")];
  const channel = await aChannel("arden", [me, other]);
  const listener = await listen(me, options);
  await other.do("POST", "/messages", { type: "channel", to: channel.id, topic: "verses", content: "hang there" });
  await listener.next("message");

  const start = stateOf(listener.state);
  const once = applyEvents(start, listener.received, [], 0);
  const twice = applyEvents(once, listener.received, [], 0);

  expect(twice).toEqual(once);
});

/** Consecutive message IDs of a narrow, and whether they reach its oldest and newest message. */
const run = (ids: number[], foundOldest = false, foundNewest = false) => ({ ids, foundOldest, foundNewest });

test.each([
  ["runs that overlap become one", run([3, 4, 5]), run([5, 6, 7], false, true), run([3, 4, 5, 6, 7], false, true)],
  [
    "a run of older messages that overlaps the list extends it",
    run([5, 6], false, true),
    run([2, 5], true),
    run([2, 5, 6], true, true),
  ],
  [
    "a run that does not touch the list replaces it",
    run([1, 2], true),
    run([8, 9], false, true),
    run([8, 9], false, true),
  ],
  ["an empty run marks the end of the list as the newest", run([1, 2]), run([], false, true), run([1, 2], false, true)],
])("%s", (_, list, fetched, expected) => {
  expect(mergeRun(list, fetched)).toEqual(expected);
});

test("a channel's number of subscribers follows one's own leaving and joining", async () => {
  const [me, other] = [await aPerson("Rosalind"), await aPerson("Orlando")];
  const channel = await aChannel("arden", [me, other]);
  const listener = await listen(me, options);
  let state = stateOf(listener.state);
  const counts = [state.channels.get(channel.id)?.subscriber_count];
  for (const method of ["DELETE", "POST"] as const) {
    const subscriptions = method === "POST" ? [{ name: channel.name }] : [channel.name];
    await me.do(method, "/users/me/subscriptions", { subscriptions });
    state = applyEvents(state, await listener.poll(), [], Date.now());
    counts.push(state.channels.get(channel.id)?.subscriber_count);
  }
  expect(counts).toEqual([2, 1, 2]);
});
