import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { type Listener, listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Visibility policies of topics that move: 0 none, 1 muted, 2 unmuted, 3 followed. */
const policies = [0, 1, 2, 3] as const;
type Policy = (typeof policies)[number];

const setPolicy = (person: Person, { id }: Channel, topic: string, visibility_policy: Policy) =>
  person.do("POST", "/user_topics", { stream_id: id, topic, visibility_policy });

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
  from?: string;
  to: string;
  mode: "change_one" | "change_later" | "change_all";
  /** Whether messages stay in the topic, or there are some in the target. */
  rest?: boolean;
  merges?: boolean;
  toChannel?: "public" | "private";
  expected(source: Policy, target: Policy): { source: Policy; target: Policy };
}

const carried = (source: Policy): { source: Policy; target: Policy } => ({ source: 0, target: source });
const changes: Change[] = [
  { name: "renamed", to: "new", mode: "change_all", expected: carried },
  {
    name: "renamed to another case",
    from: "Old",
    to: "OLD",
    mode: "change_all",
    expected: (one) => ({ source: one, target: one }),
  },
  { name: "resolved", to: "✔ old", mode: "change_all", expected: carried },
  { name: "unresolved", from: "✔ old", to: "old", mode: "change_all", expected: carried },
  { name: "made the general chat", to: "", mode: "change_all", expected: carried },
  { name: "moved with its only message", to: "new", mode: "change_one", expected: carried },
  { name: "moved from its first message on", to: "new", mode: "change_later", expected: carried },
  { name: "split", to: "new", mode: "change_one", rest: true, expected: (source, target) => ({ source, target }) },
  {
    name: "split in two",
    to: "new",
    mode: "change_later",
    rest: true,
    expected: (source, target) => ({ source, target }),
  },
  {
    name: "merged",
    to: "new",
    mode: "change_all",
    merges: true,
    expected: (one, other) => ({ source: 0, target: merged[one][other] }),
  },
  { name: "moved to a public channel", to: "old", mode: "change_all", toChannel: "public", expected: carried },
  { name: "moved to a private channel", to: "new", mode: "change_all", toChannel: "private", expected: carried },
  {
    name: "merged with one of a private channel",
    ...{ to: "new", mode: "change_all", merges: true, toChannel: "private" },
    expected: (one, other) => ({ source: 0, target: merged[one][other] }),
  },
];

const pairs = policies.flatMap((source) => policies.map((target) => [source, target] as const));

/** A person for each pair of policies. */
let people: Person[];
let mover: Person;
let guest: Person;
let stranger: Person;
beforeAll(async () => {
  people = await Promise.all(pairs.map(() => aPerson("Spirit")));
  [mover, guest, stranger] = await Promise.all([
    aPerson("Prospero", { role: "administrator" }),
    aPerson("Ferdinand", { role: "guest" }),
    aPerson("Caliban"),
  ]);
});

test.each(changes)("when a topic is $name, everybody's policy is right, live and after a reload", async (change) => {
  const { from = "old", to, mode, rest, merges, toChannel, expected } = change;
  const source = await aChannel("island", [mover, ...people, guest, stranger]);
  const target = toChannel
    ? await aChannel("cell", [mover, ...people], {
        inviteOnly: toChannel === "private",
        historyPublicToSubscribers: true,
      })
    : source;
  const first = await sendToChannel(mover, source, from);
  const moved = rest ? await sendToChannel(mover, source, from) : first;
  if (rest && mode === "change_one") await sendToChannel(mover, source, from);
  if (merges) await sendToChannel(mover, target, to);
  const isOne = target === source && from.toLowerCase() === to.toLowerCase();
  await Promise.all(
    people.map(async (person, index) => {
      const [one, other] = pairs[index] as [Policy, Policy];
      if (one > 0) await setPolicy(person, source, from, one);
      if (other > 0 && !isOne) await setPolicy(person, target, to, other);
    }),
  );
  await setPolicy(guest, source, from, 3);
  await setPolicy(stranger, source, from, 1);
  const everyone = [mover, ...people, guest, stranger];
  const listeners = await Promise.all(everyone.map(register));
  const legacyPeople = [mover, stranger, ...people.slice(4, 6)];
  const legacy = await Promise.all(legacyPeople.map(registerLegacy));

  await mover.do("PATCH", `/messages/${moved}`, {
    ...(to !== from && { topic: to }),
    ...(toChannel && { stream_id: target.id }),
    propagate_mode: mode,
    send_notification_to_new_thread: false,
  });

  const after = await Promise.all(everyone.map((person, index) => policiesAfter(person, listeners[index] as Listener)));
  const [, ...others] = after;
  expect(
    people.map((_, index) => [pairs[index], others[index]?.of(source, from), others[index]?.of(target, to)]),
  ).toEqual(
    pairs.map((pair) => {
      const policy = expected(...pair);
      return [pair, policy.source, policy.target];
    }),
  );
  if (isOne)
    for (const { byTopic } of after)
      for (const [key, [topic]] of byTopic) if (key.startsWith(`${source.id} `)) expect(topic).toBe(to);
  // Those who cannot read the target have no policy there.
  const strangersExpected = toChannel === "private" ? { source: 0, target: 0 } : expected(1, 0);
  expect([others.at(-1)?.of(source, from), others.at(-1)?.of(target, to)]).toEqual([
    strangersExpected.source,
    strangersExpected.target,
  ]);
  const guestsExpected = toChannel ? { source: 0, target: 0 } : expected(3, 0);
  expect([others.at(-2)?.of(source, from), others.at(-2)?.of(target, to)]).toEqual([
    guestsExpected.source,
    guestsExpected.target,
  ]);
  // Clients that know only muted topics.
  for (const [index, listener] of legacy.entries()) {
    const events = await listener.poll();
    const fresh = (await registerLegacy(legacyPeople[index] as Person)).state.muted_topics;
    expect(events.at(-1)?.muted_topics ?? listener.state.muted_topics).toEqual(fresh);
  }
});
