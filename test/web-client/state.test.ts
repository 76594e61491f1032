import { expect, test } from "vitest";
import type { ServerEvent } from "../../web/state/events/handler.ts";
import { mergeRun } from "../../web/state/lists.ts";
import type { State } from "../../web/state/model.ts";
import { applyEvents } from "../../web/state/reducer.ts";
import { capabilities, stateOf } from "../../web/state/snapshot.ts";
import { listen } from "../support/listener.ts";
import { randomFrom } from "../support/random.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Checks that the web client's state after applying events to a snapshot equals a fresh snapshot. */

const options = {
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: true,
  include_subscribers: false,
  client_capabilities: capabilities,
};

/** The comparable parts of two states: a fresh snapshot has no fetched messages. */
const comparable = (state: State, channelIds: ReadonlySet<number>) => ({
  unread: Object.fromEntries(
    [...state.unread.byConversation]
      .filter(([, { ids }]) => ids.size > 0)
      .map(([key, { ids }]) => [key, [...ids].sort((a, b) => a - b)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
  starred: [...state.starred].sort((a, b) => a - b),
  subscriptions: [...state.subscriptions.values()].sort((a, b) => a.stream_id - b.stream_id),
  channels: [...state.channels.values()]
    .filter(({ stream_id }) => channelIds.has(stream_id))
    .map(({ subscriber_count, stream_weekly_traffic, ...channel }) => channel)
    .sort((a, b) => a.stream_id - b.stream_id),
  topicPolicies: Object.fromEntries([...state.topicPolicies].sort()),
  mutedUsers: [...state.mutedUsers].sort((a, b) => a - b),
  drafts: [...state.drafts.values()].map(({ id, content }) => ({ id, content })).sort((a, b) => a.id - b.id),
  snippets: [...state.snippets.values()],
  settings: state.settings,
});

type Operation = (actors: { me: Person; other: Person }, context: Context) => Promise<unknown>;

interface Context {
  random: (below: number) => number;
  channelIds: readonly number[];
  messageIds: number[];
}

const pick = <T>({ random }: Context, items: readonly T[]): T | undefined => items[random(items.length)];

/** Requests of which a test makes random ones. Those for deleted messages return errors and change nothing. */
const operations: readonly Operation[] = [
  async ({ other }, context) => {
    const { body } = await other.call("POST", "/messages", {
      type: "channel",
      to: pick(context, context.channelIds),
      topic: `t${context.random(3)}`,
      content: `number ${context.random(1000)}`,
    });
    if (body.id) context.messageIds.push(body.id);
  },
  async ({ me, other }, context) => {
    const { body } = await other.call("POST", "/messages", { type: "direct", to: [me.id], content: "psst" });
    context.messageIds.push(body.id);
  },
  ({ me }, context) =>
    me.call("POST", "/messages/flags", {
      messages: [pick(context, context.messageIds)],
      op: context.random(2) === 0 ? "add" : "remove",
      flag: context.random(2) === 0 ? "read" : "starred",
    }),
  ({ me }, context) =>
    me.call("POST", "/mark_topic_as_read", {
      stream_id: pick(context, context.channelIds),
      topic_name: `t${context.random(3)}`,
    }),
  ({ other }, context) =>
    other.call("PATCH", `/messages/${pick(context, context.messageIds)}`, {
      topic: `t${context.random(3)}`,
      propagate_mode: pick(context, ["change_one", "change_later", "change_all"]),
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    }),
  ({ other }, context) => other.call("DELETE", `/messages/${pick(context, context.messageIds)}`),
  ({ other }, context) =>
    other.call("POST", `/messages/${pick(context, context.messageIds)}/reactions`, { emoji_name: "tada" }),
  ({ me }, context) =>
    me.call("POST", "/user_topics", {
      stream_id: pick(context, context.channelIds),
      topic: `t${context.random(3)}`,
      visibility_policy: context.random(4),
    }),
  ({ me }, context) =>
    me.call("POST", "/users/me/subscriptions/properties", {
      subscription_data: [
        { stream_id: pick(context, context.channelIds), property: "pin_to_top", value: context.random(2) === 0 },
      ],
    }),
  ({ me }, context) =>
    me.call("PATCH", "/settings", { enter_sends: context.random(2) === 0, color_scheme: 1 + context.random(3) }),
  ({ me }, context) =>
    me.call("POST", "/drafts", {
      drafts: [{ type: "", to: [], topic: "", content: `draft ${context.random(100)}`, timestamp: 1_700_000_000 }],
    }),
  ({ me, other }, context) => me.call(context.random(2) === 0 ? "POST" : "DELETE", `/users/me/muted_users/${other.id}`),
];

const operationCount = 60;
/** How many operations are between two polls. */
const pollInterval = 7;

test.each([1, 2, 3])(
  "applying the events of random operations to a snapshot gives the same state as a new snapshot (seed %i)",
  async (seed) => {
    const [me, other] = [await aPerson("Rosalind"), await aPerson("Orlando")];
    const channels = [await aChannel("arden", [me, other]), await aChannel("court", [me, other])];
    const random = randomFrom(seed);
    const context: Context = {
      random: (below) => Math.floor(random() * below),
      channelIds: channels.map(({ id }) => id),
      messageIds: [],
    };
    await operations[0]?.({ me, other }, context);
    const listener = await listen(me, options);
    let state = stateOf(listener.state);

    for (let step = 0; step < operationCount; step++) {
      await operations[context.random(operations.length)]?.({ me, other }, context);
      if (step % pollInterval === 0) state = applyEvents(state, await listener.poll(), [], Date.now());
    }
    const { body: lastMessage } = await other.call("POST", "/messages", {
      type: "direct",
      to: [me.id],
      content: "the end",
    });
    while (!listener.received.some(({ type, message }) => type === "message" && message.id === lastMessage.id))
      await listener.poll({ dont_block: false });
    state = applyEvents(stateOf(listener.state), listener.received as ServerEvent[], [], Date.now());
    const fresh = stateOf((await me.call("POST", "/register", options)).body);

    const ids = new Set(context.channelIds);
    expect(comparable(state, ids)).toEqual(comparable(fresh, ids));
  },
  120_000,
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
