import { expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { putUserTopic } from "../../shared/store/channels/user-topics.ts";
import { commit } from "../../shared/store/log/log.ts";
import { type Listener, listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Visibility policies of topics that move: 0 none, 1 muted, 2 unmuted, 3 followed. */
const policies = [0, 1, 2, 3] as const;
type Policy = (typeof policies)[number];

/** Sets policies of a person for many topics at once, as `POST /user_topics` does for one. */
const setPolicies = (person: Person, topics: readonly [Channel, topic: string, Policy][]) =>
  commit({
    writes: topics.flatMap(([channel, topic, policy]) =>
      policy === 0 ? [] : putUserTopic({ userId: person.id, channelId: channel.id, topic, policy, updatedAt: 1 }),
    ),
  });

/** What a client knows of a person's policies, by channel and topic: topics are one if they differ only by case. */
class Policies {
  readonly byTopic = new Map<string, [topic: string, policy: number]>();
  constructor(state: any) {
    for (const topic of state.user_topics) this.apply(topic);
  }
  apply({ stream_id, topic_name, visibility_policy }: any): this {
    const key = `${stream_id} ${topic_name.toLowerCase()}`;
    if (visibility_policy === 0) this.byTopic.delete(key);
    else this.byTopic.set(key, [topic_name, visibility_policy]);
    return this;
  }
  of({ id }: Channel, topic: string) {
    return this.byTopic.get(`${id} ${topic.toLowerCase()}`)?.[1] ?? 0;
  }
}

const client_capabilities = { notification_settings_null: true, empty_topic_name: true };
const register = (person: Person) => listen(person, { event_types: ["user_topic"], client_capabilities });
const registerLegacy = (person: Person) => listen(person, { event_types: ["muted_topics"], client_capabilities });

/** A person's policies by the events since a registration, which must be those of a new registration. */
async function policiesAfter(person: Person, listener: Listener): Promise<Policies> {
  const live = new Policies(listener.state);
  for (const event of await listener.poll()) live.apply(event);
  const fresh = new Policies((await register(person)).state);
  expect(new Map([...live.byTopic].sort())).toEqual(new Map([...fresh.byTopic].sort()));
  return live;
}

/** The policy for the target, after the source's and the target's: when topics are merged, the one that shows more remains. */
const merged: Record<Policy, Record<Policy, Policy>> = {
  0: { 0: 0, 1: 0, 2: 2, 3: 3 },
  1: { 0: 0, 1: 1, 2: 2, 3: 3 },
  2: { 0: 2, 1: 2, 2: 2, 3: 3 },
  3: { 0: 3, 1: 3, 2: 3, 3: 3 },
};

interface Change {
  name: string;
  from: string;
  to: string;
  mode?: "change_one" | "change_later" | "change_all";
  /** Whether messages stay in the topic. */
  rest?: boolean;
  /** Whether there are messages in the target. */
  merges?: boolean;
  toChannel?: "public" | "private";
  expected(source: Policy, target: Policy): Kept;
}

/** The policies after a change. */
interface Kept {
  source: number;
  target: number;
}

const carried = (source: Policy) => ({ source: 0, target: source });
const kept = (source: Policy, target: Policy) => ({ source, target });
const mergedPolicies = (source: Policy, target: Policy) => ({ source: 0, target: merged[source][target] });

/** Each has topics of its own, so that all are made in one channel, at the same time. */
const changes: Change[] = [
  { name: "renamed", from: "renamed", to: "renamed since", expected: carried },
  {
    name: "renamed to another case",
    ...{ from: "Case", to: "CASE" },
    expected: (source) => ({ source, target: source }),
  },
  { name: "resolved", from: "resolved", to: "✔ resolved", expected: carried },
  { name: "unresolved", from: "✔ unresolved", to: "unresolved", expected: carried },
  { name: "made the general chat", from: "general", to: "", expected: carried },
  { name: "moved with its only message", from: "only", to: "only since", mode: "change_one", expected: carried },
  {
    name: "moved from its first message on",
    ...{ from: "first", to: "first since", mode: "change_later" },
    expected: carried,
  },
  { name: "split", from: "split", to: "split off", mode: "change_one", rest: true, expected: kept },
  { name: "split in two", from: "two", to: "two since", mode: "change_later", rest: true, expected: kept },
  { name: "merged", from: "merged", to: "merged with", merges: true, expected: mergedPolicies },
  { name: "moved to a public channel", from: "public", to: "public", toChannel: "public", expected: carried },
  {
    name: "moved to a private channel",
    ...{ from: "private", to: "private since", toChannel: "private" },
    expected: carried,
  },
  {
    name: "merged with one of a private channel",
    ...{ from: "joined", to: "joined with", toChannel: "private", merges: true },
    expected: mergedPolicies,
  },
];
const isOneTopic = ({ from, to, toChannel }: Change) => !toChannel && from.toLowerCase() === to.toLowerCase();

type Pair = readonly [source: Policy, target: Policy];
const pairs = policies.flatMap((source) => policies.map((target): Pair => [source, target]));

interface Reader {
  person: Person;
  /** The reader's policies for the source and the target of each change. */
  pair: Pair;
  /** Which kinds of target channels the reader sees. */
  sees: readonly string[];
}

/** Nobody has a policy for a topic that they cannot see. */
const expectedOf = ({ pair, sees }: Reader, { toChannel, expected }: Change): Kept =>
  toChannel && !sees.includes(toChannel) ? { source: 0, target: 0 } : expected(...pair);

test("when topics move, everybody's policies are right, live and after a reload", async () => {
  // A person for each pair of policies.
  const people = await Promise.all(pairs.map(() => aPerson("Spirit")));
  const [mover, guest, stranger] = await Promise.all([
    aPerson("Prospero", { role: "administrator" }),
    aPerson("Ferdinand", { role: "guest" }),
    aPerson("Caliban"),
  ]);
  const source = await aChannel("island", [mover, ...people, guest, stranger]);
  const [publicChannel, privateChannel] = await Promise.all([
    aChannel("beach", [mover, ...people]),
    aChannel("cell", [mover, ...people], { inviteOnly: true, historyPublicToSubscribers: true }),
  ]);
  const targetOf = ({ toChannel }: Change) =>
    toChannel ? { public: publicChannel, private: privateChannel }[toChannel] : source;
  const moved = await Promise.all(
    changes.map(async ({ from, to, mode, rest, merges, ...change }) => {
      if (merges) await sendToChannel(mover, targetOf({ from, to, ...change }), to);
      const first = await sendToChannel(mover, source, from);
      if (!rest) return first;
      const second = await sendToChannel(mover, source, from);
      if (mode === "change_one") await sendToChannel(mover, source, from);
      return second;
    }),
  );
  const readers: Reader[] = [
    ...people.map((person, index) => ({ person, pair: pairs[index] as Pair, sees: ["public", "private"] })),
    // Follows the topics that they began.
    { person: mover, pair: [3, 0], sees: ["public", "private"] },
    { person: guest, pair: [3, 0], sees: [] },
    { person: stranger, pair: [1, 0], sees: ["public"] },
  ];
  await Promise.all(
    readers.map(({ person, pair: [one, other] }) =>
      setPolicies(
        person,
        changes.flatMap((change): [Channel, string, Policy][] => [
          [source, change.from, one],
          ...(isOneTopic(change) ? [] : [[targetOf(change), change.to, other] as [Channel, string, Policy]]),
        ]),
      ),
    ),
  );
  const listeners = await Promise.all(readers.map(({ person }) => register(person)));
  const legacyPeople = [stranger, ...people.slice(4, 6)];
  const legacy = await Promise.all(legacyPeople.map(registerLegacy));

  await Promise.all(
    changes.map((change, index) =>
      mover.do("PATCH", `/messages/${moved[index]}`, {
        topic: change.to,
        ...(change.toChannel && { stream_id: targetOf(change).id }),
        propagate_mode: change.mode ?? "change_all",
        send_notification_to_new_thread: false,
      }),
    ),
  );

  const after = await Promise.all(
    readers.map(({ person }, index) => policiesAfter(person, listeners[index] as Listener)),
  );
  const outcome = ({ person, pair }: Reader, { name }: Change, { source: one, target: other }: Kept) =>
    `${person.name} with ${pair}, ${name}: ${one} and ${other}`;
  const outcomes = readers.flatMap((reader, index) =>
    changes.map((change) => {
      const live = after[index] as Policies;
      return outcome(reader, change, {
        source: live.of(source, change.from),
        target: live.of(targetOf(change), change.to),
      });
    }),
  );
  expect(outcomes).toEqual(
    readers.flatMap((reader) => changes.map((change) => outcome(reader, change, expectedOf(reader, change)))),
  );
  // A policy is spelled as its topic is.
  for (const { byTopic } of after) expect(byTopic.get(`${source.id} case`)?.[0] ?? "CASE").toBe("CASE");
  // Clients that know only muted topics.
  for (const [index, listener] of legacy.entries()) {
    const events = await listener.poll();
    const fresh = (await registerLegacy(legacyPeople[index] as Person)).state.muted_topics;
    expect([...(events.at(-1)?.muted_topics ?? listener.state.muted_topics)].sort()).toEqual([...fresh].sort());
  }
});
