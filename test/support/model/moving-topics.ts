import { isDeepStrictEqual } from "node:util";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { type Listener, listen } from "../listener.ts";
import { sendToChannel } from "../messages.ts";
import { fc } from "../random.ts";
import { unique } from "../unique.ts";
import { aChannel, aPerson, isLocal, type Person } from "../world.ts";

/** People with visibility policies for topics that several people move at the same time. */

/** One of several moves that are made at the same time. */
interface RandomMove {
  mover: number;
  message: number;
  channel: number;
  topic: (typeof topics)[number];
  mode: "change_one" | "change_later" | "change_all";
  notices: boolean;
  /** How long the move waits before it begins. */
  delayMs: number;
}

const topics = ["storm", "✔ storm", "calm"] as const;
const modes = fc.constantFrom("change_one" as const, "change_later" as const, "change_all" as const);

/** Moves of whole topics, or of any parts. */
const movesWith = (mode: fc.Arbitrary<RandomMove["mode"]>) =>
  fc.array(
    fc.record<RandomMove>({
      ...{ mover: fc.nat(1), message: fc.nat(3), channel: fc.nat(1), topic: fc.constantFrom(...topics), mode },
      ...{ notices: fc.boolean(), delayMs: fc.nat(40) },
    }),
    { minLength: 2, maxLength: 4 },
  );

export const someMoves = fc.oneof(
  fc.record({ isWhole: fc.constant(true), moves: movesWith(fc.constant("change_all")) }),
  fc.record({ isWhole: fc.constant(false), moves: movesWith(modes) }),
);

interface Reader {
  person: Person;
  live: Listener;
  policies: Map<string, number>;
}

export class MovingTopics {
  readonly movers: Person[];
  readonly channels: Channel[];
  private readonly readers: Reader[];
  /** Distinguishes the topics of a run. */
  private prefix = "";
  private messages: number[] = [];

  private constructor(movers: Person[], channels: Channel[], readers: Reader[]) {
    this.movers = movers;
    this.channels = channels;
    this.readers = readers;
  }

  /** The readers' policies for the topics "storm" and "calm" are all pairs of a policy and a following one. */
  static async create(): Promise<MovingTopics> {
    const movers = await Promise.all(["Prospero", "Ariel"].map((name) => aPerson(name, { role: "administrator" })));
    const people = await Promise.all(pairs.map(() => aPerson("Spirit")));
    const channels = await Promise.all(["island", "beach"].map((name) => aChannel(name, [...movers, ...people])));
    const readers = await Promise.all(
      people.map(async (person) => ({ person, live: await listen(person, userTopics), policies: new Map() })),
    );
    return new MovingTopics(movers, channels, readers);
  }

  private topic = (name: string) =>
    name.startsWith("✔ ") ? `✔ ${this.prefix} ${name.slice(2)}` : `${this.prefix} ${name}`;

  /** Begins a run with topics of its own: three messages, and another topic with one of them unless all move as a whole. */
  async begin({ isWhole }: { isWhole: boolean }): Promise<void> {
    this.prefix = unique("t");
    const [island] = this.channels as [Channel];
    const [sender] = this.movers as [Person];
    this.messages = [];
    for (const name of ["storm", "storm", isWhole ? "storm" : "calm", "storm"])
      this.messages.push(await sendToChannel(sender, island, this.topic(name)));
    await Promise.all(
      this.readers.flatMap(({ person }, index) =>
        (pairs[index] as number[]).slice(0, isWhole ? 1 : 2).map((visibility_policy, which) =>
          person.do("POST", "/user_topics", {
            ...{ stream_id: island.id, topic: this.topic(which === 0 ? "storm" : "calm"), visibility_policy },
          }),
        ),
      ),
    );
  }

  /** The path and parameters of the request that makes a move. */
  request({ mover, message, channel, topic, mode, notices }: RandomMove) {
    return {
      mover: this.movers[mover] as Person,
      messageId: this.messages[message] as number,
      params: {
        ...{ topic: this.topic(topic), stream_id: this.channels[channel]?.id, propagate_mode: mode },
        // A notice in the old topic would stay there when all else moves as a whole.
        ...{
          send_notification_to_old_thread: notices && mode !== "change_all",
          send_notification_to_new_thread: notices,
        },
      },
    };
  }

  /** What is wrong after a run: everybody's policies must be where the messages are, live and after a new registration. */
  async faults(run: { isWhole: boolean }, patienceMs = isLocal() ? 10_000 : 20_000): Promise<string[]> {
    // Jobs may still be at work, and other changes hold the log up for a moment.
    for (const end = Date.now() + patienceMs; ; ) {
      const faults = await this.currentFaults(run);
      if (faults.length === 0 || Date.now() > end) return faults;
    }
  }

  private async currentFaults({ isWhole }: { isWhole: boolean }): Promise<string[]> {
    const places = await this.places();
    const faults = isWhole && places.size > 1 ? [`the topic is in ${[...places].join(" and in ")}`] : [];
    for (const [index, { person, live, policies }] of this.readers.entries()) {
      for (const event of await live.poll()) apply(policies, event);
      const { user_topics } = await person.do("POST", "/register", userTopics);
      const fresh = new Map<string, number>();
      for (const topic of user_topics) apply(fresh, topic);
      if (!isDeepStrictEqual(new Map([...policies].sort()), new Map([...fresh].sort())))
        faults.push(`${index} has ${[...policies].join("; ")} live and ${[...fresh].join("; ")} after a registration`);
      const now = [...fresh].filter(([place]) => place.includes(this.prefix));
      for (const [place] of now)
        if (!places.has(place)) faults.push(`${index} has a policy for ${place}, which is empty`);
      const [first, second] = pairs[index] as [number, number];
      const expected = isWhole ? first : Math.max(first, second);
      const strongest = Math.max(0, ...now.map(([, policy]) => policy));
      // Where a topic with this policy merges with one that has none, muting ends.
      if (strongest !== expected && (isWhole || expected > 1))
        faults.push(`${index} has ${strongest}, not ${expected}`);
    }
    return faults;
  }

  /** The places of the run's topics that have messages. */
  private async places(): Promise<Set<string>> {
    const [reader] = this.movers as [Person];
    const lists = await Promise.all(
      this.channels.map(async ({ id }) => {
        const narrow = [{ operator: "channel", operand: id }];
        const params = { anchor: "newest", num_before: 200, num_after: 0, narrow };
        return (await reader.do("GET", "/messages", params)).messages;
      }),
    );
    return new Set(
      lists
        .flat()
        .map(placeOf)
        .filter((place) => place.includes(this.prefix)),
    );
  }
}

const policyNumbers = [0, 1, 2, 3];
const pairs = policyNumbers.flatMap((policy) => [
  [policy, 0],
  [policy, (policy + 1) % 4],
]);

const userTopics = { event_types: ["user_topic"], fetch_event_types: ["user_topic"] };

const placeOf = ({ stream_id, subject, topic_name = subject }: any) => `${stream_id} ${topic_name.toLowerCase()}`;

function apply(policies: Map<string, number>, topic: any) {
  if (topic.visibility_policy === 0) policies.delete(placeOf(topic));
  else policies.set(placeOf(topic), topic.visibility_policy);
}
