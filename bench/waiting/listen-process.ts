import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Actor, channelOf, createUsers, startBenchHost } from "../host/bench-host.ts";
import { Client } from "../host/client.ts";
import { Connection, type Reply } from "./connection.ts";

/**
 * A program that measures latency: 50 clients wait for messages that one of them sends to a channel. Arguments: the way of
 * waiting, and the number of clients that are subscribed to the channel. Prints the result as one line of JSON.
 */

const waiting = process.argv[2] ?? "held";
/** The number of clients that receive each message. */
const recipients = Number(process.argv[3] ?? 50);
const listeners = 50;
const messages = Number(process.argv[4] ?? 60);
const betweenMs = 500;

const host = await startBenchHost({ env: { SKEIN_WAITING: waiting } });
const people = await createUsers(listeners);
const channel = await channelOf("latency", people.slice(0, recipients));
const client = new Client(host.url, 4);
const sent = new Map<number, number>();
const delays: number[] = [];
let requests = 0;
let over = false;

/** One request as a client library makes it: redirects are followed with the same credentials. */
async function follow(path: string, connection: Connection): Promise<Reply> {
  for (let at = path; ; ) {
    requests++;
    const reply = await connection.get(at);
    if (reply.status !== 307) return reply;
    at = at.slice(0, at.split("?", 1)[0]!.lastIndexOf("/") + 1) + reply.location;
  }
}

async function listen(actor: Actor): Promise<() => Promise<void>> {
  const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`;
  const connection = new Connection(host.url, { authorization });
  const { bytes } = await client.call(actor, "POST", "/register", { event_types: ["message"], fetch_event_types: [] });
  const { queue_id } = JSON.parse(bytes.toString());
  let last = -1;
  return async () => {
    while (!over) {
      const { status, body } = await follow(`/api/v1/events?queue_id=${queue_id}&last_event_id=${last}`, connection);
      const now = performance.now();
      if (status !== 200) throw new Error(body);
      for (const event of JSON.parse(body).events) {
        last = event.id;
        if (event.type === "message") delays.push(now - (sent.get(Number(event.message.content)) ?? Number.NaN));
      }
    }
    connection.close();
  };
}

const loops = await Promise.all(people.map(listen));
const listening = loops.map((loop) => loop().catch((error: unknown) => over || console.error(error)));
await pause(2000);
const params = { type: "channel", to: channel.id, topic: "latency" };
const [sender] = people as [Actor];
const send = async (number: number) => {
  sent.set(number, performance.now());
  await client.call(sender, "POST", "/messages", { ...params, content: String(number) });
};
// Warm-up messages, which are not counted.
for (let number = 0; number < 10; number++) {
  await send(number);
  await pause(betweenMs);
}
delays.length = 0;
requests = 0;
const cpuBefore = cpuMs();
for (let number = 10; number < 10 + messages; number++) {
  await send(number);
  await pause(betweenMs);
}
await pause(1000);
const hostMs = (cpuMs() - cpuBefore) / (messages * recipients);
over = true;
const sorted = delays.toSorted((a, b) => a - b);
const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
console.log(
  JSON.stringify({
    ...{ waiting, listeners, recipients, messages, received: sorted.length, expected: recipients * messages, requests },
    ...{ p50: at(0.5), p90: at(0.9), p99: at(0.99), longest: at(1) },
    hostMs: Number(hostMs.toFixed(2)),
  }),
);
await host.stop();
void listening;
process.exit(0);

/** Milliseconds of CPU that the host has used. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${host.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
