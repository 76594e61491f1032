import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Actor, cpuMs, createChannel, createUsers, startBenchHost } from "../host/bench-host.ts";
import { Client } from "../host/client.ts";
import { Connection, type Reply } from "./connection.ts";

/**
 * A program that measures latency: 50 clients wait for messages that one of them sends to a channel. Arguments: the way of
 * waiting ("connection" for a WebSocket), the number of clients that are subscribed to the channel, the number of messages, and
 * how many queues each client has. Prints one line of JSON.
 */

const waiting = process.argv[2] ?? "held";
/** The number of clients that receive each message. */
const recipients = Number(process.argv[3] ?? 50);
const people = 50;
const messages = Number(process.argv[4] ?? 60);
const queuesOfEach = Number(process.argv[5] ?? 1);
const listeners = people * queuesOfEach;
const [warmUpMessages, warmUpIntervalMs] = [100, 50];
const sendIntervalMs = 500;

const isConnected = waiting === "connection";
const host = await startBenchHost({ env: isConnected ? {} : { SKEIN_WAITING: waiting } });
const users = await createUsers(people);
const channel = await createChannel("latency", users.slice(0, recipients));
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

const register = async (actor: Actor) => {
  const params = { event_types: ["message"], fetch_event_types: [] };
  const { bytes } = await client.call(actor, "POST", "/register", params);
  return JSON.parse(bytes.toString()) as { queue_id: string; last_event_id: number };
};

function receive(events: any[], receivedAtMs: number) {
  // A message of the warm-up may arrive when the others are sent.
  for (const event of events)
    if (event.type === "message" && Number(event.message.content) >= warmUpMessages)
      latenciesMs.push(receivedAtMs - (sentAtMs.get(Number(event.message.content)) ?? Number.NaN));
}

/** Waits at a WebSocket. */
async function connect(actor: Actor): Promise<() => Promise<void>> {
  const { queue_id, last_event_id } = await register(actor);
  const { bytes } = await client.call(actor, "POST", "/events/connection", { queue_id });
  // Fifty of Node's own clients would take as much processor time as the host.
  const socket = new WebSocket(JSON.parse(bytes.toString()).url, { perMessageDeflate: false });
  let seen = last_event_id;
  const acknowledge = () => socket.send(JSON.stringify({ type: "acknowledge", queue_id, last_event_id: seen }));
  socket.onopen = acknowledge;
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error("The connection was refused"));
    socket.onmessage = ({ data }) => {
      const now = performance.now();
      resolve();
      const { type, after, through, events } = JSON.parse(String(data));
      if (type !== "events") throw new Error(String(data));
      if (after > seen) return acknowledge();
      receive(
        events.filter(({ id }: { id: number }) => id > seen),
        now,
      );
      seen = Math.max(seen, through);
    };
  });
  return async () => {};
}

async function listen(actor: Actor): Promise<() => Promise<void>> {
  const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`;
  const connection = new Connection(host.url, { authorization });
  const { queue_id } = await register(actor);
  let lastEventId = -1;
  return async () => {
    while (!isOver) {
      const { status, body } = await getFollowingRedirects(
        `/api/v1/events?queue_id=${queue_id}&last_event_id=${lastEventId}`,
        connection,
      );
      const now = performance.now();
      if (status !== 200) throw new Error(body);
      const { events } = JSON.parse(body);
      receive(events, now);
      lastEventId = events.at(-1)?.id ?? lastEventId;
    }
    connection.close();
  };
}

const loops: (() => Promise<void>)[] = [];
for (let queue = 0; queue < queuesOfEach; queue++)
  loops.push(...(await Promise.all(users.map(isConnected ? connect : listen))));
const listening = loops.map((loop) => loop().catch((error: unknown) => isOver || console.error(error)));
await pause(2000);
const params = { type: "channel", to: channel.id, topic: "latency" };
const [sender] = users as [Actor];
const send = async (number: number) => {
  sentAtMs.set(number, performance.now());
  await client.call(sender, "POST", "/messages", { ...params, content: String(number) });
};
// Warm-up messages, which are not counted.
for (let number = 0; number < warmUpMessages; number++) {
  await send(number);
  await pause(warmUpIntervalMs);
}
await pause(2000);
latenciesMs.length = 0;
requests = 0;
const cpuBefore = cpuMs(host.pid);
for (let number = warmUpMessages; number < warmUpMessages + messages; number++) {
  await send(number);
  await pause(sendIntervalMs);
}
await pause(1000);
const hostMs = (cpuMs(host.pid) - cpuBefore) / (messages * recipients * queuesOfEach);
isOver = true;
const sorted = latenciesMs.toSorted((a, b) => a - b);
const percentile = (share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
console.log(
  JSON.stringify({
    ...{ waiting, listeners, recipients, messages, received: sorted.length, requests },
    expected: recipients * messages * queuesOfEach,
    ...{ p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99), longest: percentile(1) },
    hostMs: Number(hostMs.toFixed(2)),
  }),
);
await host.stop();
void listening;
process.exit(0);
