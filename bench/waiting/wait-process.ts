import { Agent } from "node:http";
import { defaultLifespanSeconds } from "../../shared/events/queue.ts";
import { withTrace } from "../../shared/observability/trace.ts";
import { touchSeconds } from "../../shared/store/delivery/event-queues.ts";
import { listWakeUpQueueRecords } from "../../shared/store/delivery/wake-up-queues.ts";
import { updateItem } from "../../shared/store/table/transactions.ts";
import { type Actor, createUsers, startBenchHost } from "../host/bench-host.ts";
import { post } from "../host/client.ts";

/**
 * A program that measures the cost of each step of waiting, for the waiting strategy in its argument. Prints one line of
 * JSON: read units and milliseconds of each step, the medians of several runs, and the write units of recording a client's
 * activity.
 */

const waiting = process.argv[2] ?? "wake-up-queue";
const repeats = 40;

const host = await startBenchHost({ env: { SKEIN_WAITING: waiting } });
const people = await createUsers(50);
const [waiter, sender] = people as [Actor, Actor];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function ask(actor: Actor, method: string, path: string, form?: Record<string, string>) {
  const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  const startedAt = performance.now();
  const body = form && new URLSearchParams(form).toString();
  const reply = await post(`${host.url}/api/v1${path}`, { method, headers, agent }, body);
  return {
    ms: performance.now() - startedAt,
    readUnits: Number(reply.headers["x-skein-read-units"]),
    writeUnits: Number(reply.headers["x-skein-write-units"]),
    body: reply.status === 307 ? undefined : JSON.parse(reply.bytes.toString()),
  };
}

const register = async (actor: Actor) =>
  (await ask(actor, "POST", "/register", { event_types: '["message"]', fetch_event_types: "[]" })).body
    .queue_id as string;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function step(work: () => ReturnType<typeof ask>) {
  const replies: Awaited<ReturnType<typeof ask>>[] = [];
  for (let n = 0; n < repeats; n++) replies.push(await work());
  return { readUnits: median(replies.map(({ readUnits }) => readUnits)), ms: median(replies.map(({ ms }) => ms)) };
}

/** The write units of a poll that records the client's activity. */
async function noted(queueId: string, path: string) {
  const key = { pk: `USER#${waiter.id}`, sk: `QUEUE#${queueId}` };
  await updateItem(key, {
    set: { usedAt: Math.floor(Date.now() / 1000) - touchSeconds({ lifespan: defaultLifespanSeconds }) - 1 },
  });
  const { writeUnits } = await ask(waiter, "GET", path);
  return { writeUnits };
}

async function atWakeUpQueue() {
  for (const person of people.slice(2)) await register(person);
  const queueId = await register(waiter);
  let last = -1;
  const events = () => `/events?queue_id=${queueId}&last_event_id=${last}`;
  const look = () => `/events/${queueId}/${last}/look`;
  const nothing = await step(() => ask(waiter, "GET", events()));
  const heartbeat = await step(() => ask(waiter, "GET", look()));
  const found = await step(async () => {
    await ask(sender, "POST", "/messages", { type: "direct", to: `[${waiter.id}]`, content: "hello" });
    const reply = await ask(waiter, "GET", look());
    last = reply.body.events.at(-1).id;
    return reply;
  });
  const records = await withTrace(listWakeUpQueueRecords);
  const stillRecorded = await noted(queueId, look());
  return {
    nothing,
    heartbeat,
    found,
    noted: stillRecorded,
    notify: { queues: records.result.length, readUnits: records.trace.readUnits },
  };
}

async function held() {
  const queueId = await register(waiter);
  const path = `/events?queue_id=${queueId}&last_event_id=-1`;
  const poll = await ask(waiter, "GET", path);
  return { poll: { readUnits: poll.readUnits, ms: poll.ms }, noted: await noted(queueId, `${path}&dont_block=true`) };
}

console.log(JSON.stringify(waiting === "wake-up-queue" ? await atWakeUpQueue() : await held()));
await host.stop();
process.exit(0);
