import { setTimeout as pause } from "node:timers/promises";

/** More senders of messages than a host's table can serve, who repeat each message until it is acknowledged. */

interface Person {
  email: string;
  apiKey: string;
}

/** A channel of a host, and people who have subscribed to it. */
export interface Senders {
  url: string;
  channelId: number;
  people: readonly Person[];
}

/** What came of a number of senders who sent one message after the other for some seconds. */
interface OverloadStep {
  senders: number;
  acknowledgedPerSecond: number;
  /** Replies that asked the sender to come back later. */
  refused: number;
  p50Ms: number;
  p99Ms: number;
}

export interface OverloadResult {
  steps: OverloadStep[];
  acknowledged: number;
  /** Acknowledged messages that are not in the channel. */
  lost: number;
  /** Messages that are in the channel more than once. */
  duplicated: number;
  /** Acknowledged messages that one of the listeners did not receive, or received more than once, once for each. */
  notReceivedOnce: number;
  /** Replies other than a success, or 503 with an error code and `Retry-After`: "500 INTERNAL_SERVER_ERROR". */
  wrongReplies: string[];
}

/**
 * Lets each of these numbers of senders send for `seconds`, the time in which messages count, after `warmUpSeconds`. Afterwards
 * every sender repeats the last message until it is acknowledged.
 */
export async function overload(
  { url, channelId, people }: Senders,
  senderCounts: readonly number[],
  { seconds, warmUpSeconds }: { seconds: number; warmUpSeconds: number },
): Promise<OverloadResult> {
  const call = caller(url);
  const queueIds: string[] = [];
  for (const person of people) {
    const options = { event_types: '["message"]', fetch_event_types: "[]" };
    queueIds.push((await call(person, "POST", "/register", options)).body.queue_id);
  }
  const listeners = people
    .slice(0, listenerCount)
    .map((person, index) => new Listener(call, person, queueIds[index] ?? ""));
  const acknowledged: string[] = [];
  const wrongReplies: string[] = [];
  let sent = 0;

  async function runStep(senders: number): Promise<OverloadStep> {
    const countFrom = performance.now() + warmUpSeconds * 1000;
    const end = countFrom + seconds * 1000;
    const durationsMs: number[] = [];
    let refused = 0;
    const isCounted = () => performance.now() >= countFrom && performance.now() < end;
    const send = async (index: number) => {
      while (performance.now() < end) {
        const content = `message ${sent++}`;
        const startedAt = performance.now();
        for (;;) {
          const number = index % people.length;
          const echo = { queue_id: queueIds[number] as string, local_id: content };
          const message = { type: "channel", to: String(channelId), topic: `topic ${index}`, content, ...echo };
          const { status, body, retryAfter } = await call(people[number] as Person, "POST", "/messages", message);
          if (status === 200) break;
          if (isCounted()) refused++;
          if (status !== 503 || !body.code || !retryAfter) wrongReplies.push(`${status} ${body.code}`);
          await pause((retryAfter || 1) * 1000);
        }
        acknowledged.push(content);
        if (isCounted()) durationsMs.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: senders }, (_, index) => send(index)));
    const sorted = durationsMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return { senders, acknowledgedPerSecond: sorted.length / seconds, refused, p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  const steps: OverloadStep[] = [];
  for (const senders of senderCounts) steps.push(await runStep(senders));
  const notReceivedOnce = await Promise.all(listeners.map((listener) => listener.countWithoutOne(acknowledged)));
  const stored = await contentsOf(call, people[0] as Person, channelId);
  const timesStored = Map.groupBy(stored, (content) => content);
  return {
    steps,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((content) => !timesStored.has(content)).length,
    duplicated: [...timesStored.values()].filter(({ length }) => length > 1).length,
    notReceivedOnce: notReceivedOnce.reduce((sum, count) => sum + count, 0),
    wrongReplies,
  };
}

const listenerCount = 3;
const maxCatchUpMs = 60_000;

/** A client that polls events, and remembers which messages it received. */
class Listener {
  readonly #received: string[] = [];
  readonly #polling: Promise<void>;
  #isDone = false;

  constructor(call: Call, person: Person, queueId: string) {
    this.#polling = this.#poll(call, person, queueId);
  }

  async #poll(call: Call, person: Person, queueId: string): Promise<void> {
    for (let last = -1; !this.#isDone; ) {
      const params = { queue_id: queueId, last_event_id: String(last) };
      const { status, body, retryAfter } = await call(person, "GET", "/events", params);
      if (status !== 200) await pause((retryAfter || 1) * 1000);
      for (const { id, message } of body.events ?? []) {
        last = id;
        if (message) this.#received.push(message.content);
      }
    }
  }

  /** Waits until all of these messages have come; returns how many did not come exactly once. */
  async countWithoutOne(contents: readonly string[]): Promise<number> {
    const deadline = Date.now() + maxCatchUpMs;
    const isMissing = () => {
      const received = new Set(this.#received);
      return contents.some((content) => !received.has(content));
    };
    while (isMissing() && Date.now() < deadline) await pause(200);
    this.#isDone = true;
    await this.#polling;
    const times = Map.groupBy(this.#received, (content) => content);
    return contents.filter((content) => times.get(content)?.length !== 1).length;
  }
}

type Call = ReturnType<typeof caller>;

const caller =
  (url: string) => async (person: Person, method: "GET" | "POST", path: string, params: Record<string, string>) => {
    const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
    const form = new URLSearchParams(params);
    const [query, body] = method === "GET" ? [`?${form}`, {}] : ["", { body: form }];
    const reply = await fetch(`${url}/api/v1${path}${query}`, { method, headers: { authorization }, ...body });
    const { status, headers } = reply;
    return { status, body: (await reply.json()) as any, retryAfter: Number(headers.get("retry-after")) };
  };

/** The contents of all messages in the channel. */
async function contentsOf(call: Call, person: Person, channelId: number): Promise<string[]> {
  const contents: string[] = [];
  const narrow = JSON.stringify([{ operator: "channel", operand: channelId }]);
  for (let anchor = 0; ; ) {
    const page = { anchor: String(anchor), num_before: "0", num_after: "1000", include_anchor: "false", narrow };
    const { status, body } = await call(person, "GET", "/messages", { ...page, apply_markdown: "false" });
    if (status === 503) continue;
    const messages = body.messages as { id: number; content: string; subject: string }[];
    contents.push(...messages.flatMap(({ content, subject }) => (subject.startsWith("topic ") ? [content] : [])));
    if (body.found_newest) return contents;
    anchor = messages.at(-1)?.id ?? anchor;
  }
}
