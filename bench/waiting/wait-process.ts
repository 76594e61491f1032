import { Agent } from "node:http";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { defaultLifespanSeconds } from "../../shared/features/events/queue.ts";
import { maxUsedAtLagSeconds } from "../../shared/store/delivery/event-queues.ts";
import { listWakeUpQueueRecords } from "../../shared/store/delivery/wake-up-queues.ts";
import { updateItem } from "../../shared/store/table/single-writes.ts";
import { type Actor, createUsers, startBenchHost } from "../host/bench-host.ts";
import { sendRequest } from "../host/client.ts";

/**
 * A program that measures the cost of each step of waiting, for the waiting strategy in its argument. Prints one line of
 * JSON: read units and milliseconds of each step, medians of several runs at wake-up queues and a
 * single poll if it is held, and the write units of recording a client's
 * activity.
 */

const waiting = process.argv[2] ?? "wake-up-queue";
const repeats = 40;

const host = await startBenchHost({ env: { SKEIN_WAITING: waiting } });
const people = await createUsers(50);
const [waiter, sender] = people as [Actor, Actor];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function send(actor: Actor, method: string, path: string, form?: Record<string, string>) {
  const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  const startedAt = performance.now();
  const body = form && new URLSearchParams(form).toString();
  const reply = await sendRequest(`${host.url}/api/v1${path}`, { method, headers, agent }, body);
  return {
    ms: performance.now() - startedAt,
    readUnits: Number(reply.headers["x-skein-read-units"]),
    writeUnits: Number(reply.headers["x-skein-write-units"]),
    body: reply.status === 307 ? undefined : JSON.parse(reply.bytes.toString()),
  };
}

const register = async (actor: Actor) =>
  (await send(actor, "POST", "/register", { event_types: '["message"]', fetch_event_types: "[]" })).body
    .queue_id as string;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measureStep(work: () => ReturnType<typeof send>) {
  const replies: Awaited<ReturnType<typeof send>>[] = [];
  for (let n = 0; n < repeats; n++) replies.push(await work());
  return { readUnits: median(replies.map(({ readUnits }) => readUnits)), ms: median(replies.map(({ ms }) => ms)) };
}

/** Makes the record of the client's activity old, and returns the write units of a poll, which renews it. */
async function measureActivityRecord(queueId: string, path: string) {
  const key = { pk: `USER#${waiter.id}`, sk: `QUEUE#${queueId}` };
  await updateItem(key, {
    set: { usedAt: Math.floor(Date.now() / 1000) - maxUsedAtLagSeconds({ lifespan: defaultLifespanSeconds }) - 1 },
  });
  const { writeUnits } = await send(waiter, "GET", path);
  return { writeUnits };
}

async function measureWakeUpQueue() {
  // `notify` reads the records of all these queues.
  for (const person of people.slice(2)) await register(person);
  const queueId = await register(waiter);
  let lastEventId = -1;
  const pollPath = () => `/events?queue_id=${queueId}&last_event_id=${lastEventId}`;
  const lookPath = () => `/events/${queueId}/${lastEventId}/look`;
  // The first poll of a wait, which finds no event.
  const nothing = await measureStep(() => send(waiter, "GET", pollPath()));
  // The check after the wake-up routes, which finds no event and replies with a heartbeat.
  const heartbeat = await measureStep(() => send(waiter, "GET", lookPath()));
  // The check after a wake-up, which finds the event.
  const found = await measureStep(async () => {
    await send(sender, "POST", "/messages", { type: "direct", to: `[${waiter.id}]`, content: "hello" });
    const reply = await send(waiter, "GET", lookPath());
    lastEventId = reply.body.events.at(-1).id;
    return reply;
  });
  const records = await withTrace(listWakeUpQueueRecords);
  const recorded = await measureActivityRecord(queueId, lookPath());
  return {
    nothing,
    heartbeat,
    found,
    noted: recorded,
    notify: { queues: records.result.length, readUnits: records.trace.readUnits },
  };
}

async function measureHeldPoll() {
  const queueId = await register(waiter);
  const path = `/events?queue_id=${queueId}&last_event_id=-1`;
  const poll = await send(waiter, "GET", path);
  return {
    poll: { readUnits: poll.readUnits, ms: poll.ms },
    noted: await measureActivityRecord(queueId, `${path}&dont_block=true`),
  };
}

console.log(JSON.stringify(waiting === "wake-up-queue" ? await measureWakeUpQueue() : await measureHeldPoll()));
await host.stop();
process.exit(0);
