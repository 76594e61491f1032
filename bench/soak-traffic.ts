import { setTimeout as pause } from "node:timers/promises";
import { ordinaryText } from "../test/support/table/seeding.ts";
import type { Actor } from "./host/bench-host.ts";
import { type Answer, Client } from "./host/client.ts";

/** The number of people who poll an event queue. */
const listeners = 50;
/** How many of the newest seeded messages are marked as read and reacted to. */
const usedMessages = 1900;
/** Longer than the five minutes between two runs of the sweeper of scheduled messages. */
const maxDeliveryMs = 360_000;

/** The share of each kind of request. */
const mix = [
  [0.4, "presence"],
  [0.14, "poll"],
  [0.12, "fetch"],
  [0.1, "mark"],
  [0.1, "type"],
  [0.08, "send"],
  [0.03, "react"],
  [0.02, "register"],
  [0.01, "schedule"],
] as const;
type Kind = (typeof mix)[number][1];

interface Queue {
  actor: Actor;
  id: string;
  lastEventId: number;
  /** How often each text was received. */
  received: Map<string, number>;
  /** The previous poll, for which the next one waits: a client has one poll at a time. */
  previousPoll: Promise<unknown>;
}

/** What the final check found of all acknowledged requests. */
export interface Verification {
  sent: number;
  /** Messages whose senders got an error; each may exist, but at most once. */
  unsure: number;
  lost: number;
  /** Messages that exist more than once, acknowledged or not. */
  twice: number;
  scheduled: number;
  undelivered: number;
  reactions: number;
  reactionsLost: number;
  marks: number;
  marksLost: number;
  /** Expected receptions of the acknowledged messages at the listeners' queues. */
  awaited: number;
  missed: number;
  receivedTwice: number;
}

/** Generates an organization's requests, records the replies, and checks afterwards that nothing acknowledged was lost. */
export class Traffic {
  readonly #client: Client;
  readonly #actors: readonly Actor[];
  readonly #channelId: number;
  readonly #newest: number;
  readonly #queues: Queue[] = [];
  readonly #presence = new Map<Actor, number>();
  readonly #sent = new Set<string>();
  readonly #unacknowledged = new Set<string>();
  readonly #scheduled = new Set<string>();
  readonly #reactions: (readonly [messageId: number, userId: number])[] = [];
  readonly #marks = new Map<Actor, Set<number>>();
  #reactionCount = 0;

  /** `newest` is the last of 2,000 messages in the channel. */
  constructor(url: string, connections: number, actors: readonly Actor[], channelId: number, newest: number) {
    this.#client = new Client(url, connections);
    this.#actors = actors;
    this.#channelId = channelId;
    this.#newest = newest;
  }

  async begin(): Promise<void> {
    for (const actor of this.#actors.slice(0, listeners)) {
      const registered = await this.#client.call(actor, "POST", "/register", { event_types: ["message"] });
      const { queue_id: id, last_event_id: lastEventId } = bodyOf(registered);
      this.#queues.push({ actor, id, lastEventId, received: new Map(), previousPoll: Promise.resolve() });
    }
  }

  /** Sends request number `index`; the mix of kinds is the same in each run. */
  send(index: number): Promise<Answer> {
    return this.#senders[kindAt(index)](index, this.#actors[index % this.#actors.length] as Actor);
  }

  end(): void {
    this.#client.close();
  }

  readonly #senders: Record<Kind, (index: number, actor: Actor) => Promise<Answer>> = {
    presence: async (_, actor) => {
      const params = { status: "active", last_update_id: this.#presence.get(actor) ?? -1 };
      const answer = await this.#client.call(actor, "POST", "/users/me/presence", params);
      if (answer.status === 200) this.#presence.set(actor, bodyOf(answer).presence_last_update_id);
      return answer;
    },
    poll: (index) => this.#poll(this.#queues[index % listeners] as Queue),
    fetch: (index, actor) => {
      const narrow = [
        { operator: "channel", operand: this.#channelId },
        { operator: "topic", operand: topicAt(index) },
      ];
      return this.#client.call(actor, "GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow });
    },
    mark: async (index, actor) => {
      const messageId = this.#newest - (index % usedMessages);
      const params = { messages: [messageId], op: "add", flag: "read" };
      const answer = await this.#client.call(actor, "POST", "/messages/flags", params);
      if (answer.status === 200) this.#marks.set(actor, (this.#marks.get(actor) ?? new Set<number>()).add(messageId));
      return answer;
    },
    type: (index, actor) => {
      const to = { type: "stream", stream_id: this.#channelId, topic: topicAt(index) };
      return this.#client.call(actor, "POST", "/typing", { ...to, op: "start" });
    },
    send: async (index, actor) => {
      const text = `soaked ${index} `;
      const answer = await this.#client.call(actor, "POST", "/messages", this.#message(index, text));
      (answer.status === 200 ? this.#sent : this.#unacknowledged).add(text);
      return answer;
    },
    react: async () => {
      // Nobody reacts to a message twice.
      const count = this.#reactionCount++;
      const messageId = this.#newest - (count % usedMessages);
      const actor = this.#actors[(count + Math.floor(count / usedMessages)) % this.#actors.length] as Actor;
      const answer = await this.#client.call(actor, "POST", `/messages/${messageId}/reactions`, { emoji_name: "tada" });
      if (answer.status === 200) this.#reactions.push([messageId, actor.id]);
      return answer;
    },
    register: (_, actor) =>
      this.#client.call(actor, "POST", "/register", { event_types: ["message"], fetch_event_types: ["realm"] }),
    schedule: async (index, actor) => {
      const text = `later soaked ${index} `;
      const at = { scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 5 };
      const params = { ...this.#message(index, text), ...at };
      const answer = await this.#client.call(actor, "POST", "/scheduled_messages", params);
      (answer.status === 200 ? this.#scheduled : this.#unacknowledged).add(text);
      return answer;
    },
  };

  #message = (index: number, text: string) => ({
    ...{ type: "channel", to: this.#channelId, topic: topicAt(index) },
    content: text + ordinaryText.slice(0, 200),
  });

  #poll(queue: Queue): Promise<Answer> {
    const poll = queue.previousPoll.then(async () => {
      const params = { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true };
      const answer = await this.#client.call(queue.actor, "GET", "/events", params);
      if (answer.status !== 200) return answer;
      for (const { id, message } of bodyOf(answer).events) {
        queue.lastEventId = Math.max(queue.lastEventId, id);
        const text = textIn(message?.content);
        if (text) queue.received.set(text, (queue.received.get(text) ?? 0) + 1);
      }
      return answer;
    });
    queue.previousPoll = poll.catch(() => {});
    return poll;
  }

  /** Waits until all scheduled messages are delivered, at most six minutes, and checks what is stored. */
  async verify(): Promise<Verification> {
    let { texts, reacted } = await this.#readChannel();
    for (const end = Date.now() + maxDeliveryMs; Date.now() < end; ) {
      if ([...this.#scheduled].every((text) => texts.has(text))) break;
      await pause(2000);
      ({ texts, reacted } = await this.#readChannel());
    }
    const accepted = [...this.#sent, ...this.#scheduled];
    const receptions = { awaited: accepted.length * listeners, missed: 0, receivedTwice: 0 };
    for (const queue of this.#queues) {
      // Polls until there are no new events.
      for (let previousId = -1; previousId < queue.lastEventId; ) {
        previousId = queue.lastEventId;
        await this.#poll(queue);
      }
      receptions.missed += accepted.filter((text) => !queue.received.has(text)).length;
      receptions.receivedTwice += [...queue.received.values()].filter((times) => times > 1).length;
    }
    const countLost = (expected: ReadonlySet<string>) => [...expected].filter((text) => !texts.has(text)).length;
    return {
      ...{ sent: this.#sent.size, unsure: this.#unacknowledged.size, lost: countLost(this.#sent) },
      twice: [...texts.values()].filter((times) => times > 1).length,
      ...{ scheduled: this.#scheduled.size, undelivered: countLost(this.#scheduled) },
      reactions: this.#reactions.length,
      reactionsLost: this.#reactions.filter(([message, user]) => !reacted.get(message)?.has(user)).length,
      ...(await this.#verifyMarks()),
      ...receptions,
    };
  }

  async #verifyMarks() {
    let [marks, marksLost] = [0, 0];
    for (const [actor, ids] of this.#marks) {
      const answer = await this.#client.call(actor, "GET", "/messages", { message_ids: [...ids] });
      const read = new Set<number>(
        bodyOf(answer).messages.flatMap(({ id, flags }: any) => (flags.includes("read") ? [id] : [])),
      );
      marks += ids.size;
      marksLost += [...ids].filter((id) => !read.has(id)).length;
    }
    return { marks, marksLost };
  }

  /** How often each text occurs in the channel, and who reacted to which message. */
  async #readChannel() {
    const texts = new Map<string, number>();
    const reacted = new Map<number, Set<number>>();
    const narrow = [{ operator: "channel", operand: this.#channelId }];
    const reader = this.#actors[0] as Actor;
    for (let anchor: number | "newest" = "newest"; ; ) {
      const range = { anchor, num_before: 1000, num_after: 0, include_anchor: anchor === "newest" };
      const params = { ...range, narrow, apply_markdown: false };
      const { messages, found_oldest } = bodyOf(await this.#client.call(reader, "GET", "/messages", params));
      for (const { id, content, reactions } of messages) {
        const text = textIn(content);
        if (text) texts.set(text, (texts.get(text) ?? 0) + 1);
        reacted.set(id, new Set(reactions.map(({ user_id }: { user_id: number }) => user_id)));
      }
      if (found_oldest || messages.length === 0) return { texts, reacted };
      anchor = messages[0].id;
    }
  }
}

const bodyOf = ({ bytes }: Answer) => JSON.parse(String(bytes));
const topicAt = (index: number) => `soak ${index % 20}`;
const textIn = (content: string | undefined) => /(later )?soaked \d+ /.exec(content ?? "")?.[0];

/** Multiples of the golden ratio, modulo 1, spread evenly, so that any stretch of requests has the shares of `mix`. */
function kindAt(index: number): Kind {
  let position = (index * 0.618_033_988_75) % 1;
  for (const [share, kind] of mix) {
    if (position < share) return kind;
    position -= share;
  }
  return "presence";
}
