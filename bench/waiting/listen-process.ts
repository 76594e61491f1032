import { setTimeout as pause } from "node:timers/promises";
import { type Actor, cpuMs, createChannel, createUsers, startBenchHost } from "../host/bench-host.ts";
import { Client } from "../host/client.ts";
import { Connection, type Reply } from "./connection.ts";

/**
 * A program that measures latency: 50 clients wait for messages that one of them sends to a channel. Arguments: the way of
 * waiting, the number of clients that are subscribed to the channel, and the number of messages. Prints one line of JSON.
 */

const waiting = process.argv[2] ?? "held";
/** The number of clients that receive each message. */
const recipients = Number(process.argv[3] ?? 50);
const listeners = 50;
const messages = Number(process.argv[4] ?? 60);
const warmUpMessages = 10;
const sendIntervalMs = 500;

const host = await startBenchHost({ env: { SKEIN_WAITING: waiting } });
const people = await createUsers(listeners);
const channel = await createChannel("latency", people.slice(0, recipients));
const client = new Client(host.url, 4);
/** When each message was sent, by its number. */
const sentAtMs = new Map<number, number>();
const latenciesMs: number[] = [];
let requests = 0;
let isOver = false;

/** One request as a client library makes it: redirects are followed with the same credentials. */
async function getFollowingRedirects(path: string, connection: Connection): Promise<Reply> {
  for (let current = path; ; ) {
    requests++;
    const reply = await connection.get(current);
    if (reply.status !== 307) return reply;
    current = current.slice(0, current.split("?", 1)[0]!.lastIndexOf("/") + 1) + reply.location;
  }
}

async function listen(actor: Actor): Promise<() => Promise<void>> {
  const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`;
  const connection = new Connection(host.url, { authorization });
  const { bytes } = await client.call(actor, "POST", "/register", { event_types: ["message"], fetch_event_types: [] });
  const { queue_id } = JSON.parse(bytes.toString());
  let lastEventId = -1;
  return async () => {
    while (!isOver) {
      const { status, body } = await getFollowingRedirects(
        `/api/v1/events?queue_id=${queue_id}&last_event_id=${lastEventId}`,
        connection,
      );
      const now = performance.now();
      if (status !== 200) throw new Error(body);
      for (const event of JSON.parse(body).events) {
        lastEventId = event.id;
        if (event.type === "message")
          latenciesMs.push(now - (sentAtMs.get(Number(event.message.content)) ?? Number.NaN));
      }
    }
    connection.close();
  };
}

const loops = await Promise.all(people.map(listen));
const listening = loops.map((loop) => loop().catch((error: unknown) => isOver || console.error(error)));
await pause(2000);
const params = { type: "channel", to: channel.id, topic: "latency" };
const [sender] = people as [Actor];
const send = async (number: number) => {
  sentAtMs.set(number, performance.now());
  await client.call(sender, "POST", "/messages", { ...params, content: String(number) });
};
// Warm-up messages, which are not counted.
for (let number = 0; number < warmUpMessages; number++) {
  await send(number);
  await pause(sendIntervalMs);
}
latenciesMs.length = 0;
requests = 0;
const cpuBefore = cpuMs(host.pid);
for (let number = warmUpMessages; number < warmUpMessages + messages; number++) {
  await send(number);
  await pause(sendIntervalMs);
}
await pause(1000);
const hostMs = (cpuMs(host.pid) - cpuBefore) / (messages * recipients);
isOver = true;
const sorted = latenciesMs.toSorted((a, b) => a - b);
const percentile = (share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
console.log(
  JSON.stringify({
    ...{ waiting, listeners, recipients, messages, received: sorted.length, expected: recipients * messages, requests },
    ...{ p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99), longest: percentile(1) },
    hostMs: Number(hostMs.toFixed(2)),
  }),
);
await host.stop();
void listening;
process.exit(0);
