import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { handler as answerConnection } from "../../functions/events/answer-connection.ts";
import { handler as notifyWaiters } from "../../functions/events/notify-waiters.ts";
import { handler as openConnection } from "../../functions/events/open-connection.ts";
import { recordOf } from "../../infra/local/log-source.ts";
import { provideHost } from "../../shared/base/host.ts";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { postInTime } from "../../shared/features/events/connections/post-jobs.ts";
import { entriesBetween } from "../../shared/features/events/position.ts";
import { defaultLifespanSeconds } from "../../shared/features/events/queue.ts";
import { runInBackground } from "../../shared/services/jobs/background.ts";
import { findEventQueue, maxUsedAtLagSeconds } from "../../shared/store/delivery/event-queues.ts";
import { listWakeUpQueueRecords } from "../../shared/store/delivery/wake-up-queues.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { updateItem } from "../../shared/store/table/single-writes.ts";
import { connectQueue } from "../../test/support/connection.ts";
import { type Actor, createChannel, createUsers, startBenchHost } from "../host/bench-host.ts";
import { Client } from "../host/client.ts";
import { day } from "../month/behaviour.ts";

/**
 * A program that measures what a client at a WebSocket costs, in a team whose members are all connected to one host: its
 * functions run in this process, on the host's table, and post to a server that answers at once. Prints one line of JSON.
 */

const repeats = 40;
const host = await startBenchHost();
const people = await createUsers(day.recipients + 1);
const channel = await createChannel("connected", people);
const client = new Client(host.url, 4);
const postedBytes: number[] = [];
const management = createServer((incoming, outgoing) => {
  postedBytes.push(Number(incoming.headers["content-length"]));
  incoming.resume().once("end", () => outgoing.end("{}"));
});
await new Promise<void>((resolve) => management.listen(0, "127.0.0.1", resolve));
process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = `http://127.0.0.1:${(management.address() as AddressInfo).port}`;

const call = async (actor: Actor, method: string, path: string, params: Record<string, unknown> = {}) => {
  const { status, bytes, headers } = await client.call(actor, method, path, params);
  const body = JSON.parse(bytes.toString());
  if (status !== 200) throw new Error(body.msg);
  const units = (kind: string) => Number(headers[`x-skein-${kind}-units`]);
  return { body, readUnits: units("read"), writeUnits: units("write") };
};
const register = async (actor: Actor) =>
  (await call(actor, "POST", "/register", { fetch_event_types: ["presence"], slim_presence: true })).body;
const ticketOf = (url: string) => new URL(url).searchParams.get("ticket") as string;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Units {
  readUnits: number;
  writeUnits: number;
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function measured(work: () => Promise<unknown>): Promise<Units> {
  const { trace } = await withTrace(work);
  return { readUnits: trace.readUnits, writeUnits: trace.writeUnits };
}

async function medianOf(work: (index: number) => Promise<Units>): Promise<Units> {
  const steps: Units[] = [];
  for (let index = 0; index < repeats; index++) steps.push(await work(index));
  const of = (figure: keyof Units) => median(steps.map((step) => step[figure]));
  return { readUnits: of("readUnits"), writeUnits: of("writeUnits") };
}

const context = (connectionId: string) => ({ connectionId, requestId: "bench", identity: { sourceIp: "127.0.0.1" } });
const [first, sender] = people as [Actor, Actor];
const firstQueue = await register(first);
for (const actor of people) {
  const queue = actor === first ? firstQueue : await register(actor);
  await connectQueue({ do: async (method, path, params) => (await call(actor, method, path, params)).body }, queue);
}
const { connectionId } = (await findEventQueue(first.id, firstQueue.queue_id)) as { connectionId: string };
let seen = firstQueue.last_event_id;
const acknowledge = (report: object) =>
  answerConnection({
    requestContext: context(connectionId),
    body: JSON.stringify({ type: "acknowledge", queue_id: firstQueue.queue_id, last_event_id: seen, ...report }),
  });

// What happened before the measurement is acknowledged.
seen = (
  await call(first, "GET", "/events", { queue_id: firstQueue.queue_id, last_event_id: seen, dont_block: true })
).body.events.reduce((newest: number, { id }: { id: number }) => Math.max(newest, id), seen);
const acknowledged = await medianOf(() => measured(() => acknowledge({})));
const ask = { presence: "active", presence_last_update_id: firstQueue.presence_last_update_id };
const reported = await medianOf(() => measured(() => acknowledge(ask)));
const aged = Math.floor(Date.now() / 1000) - maxUsedAtLagSeconds({ lifespan: defaultLifespanSeconds }) - 1;
await updateItem({ pk: `USER#${first.id}`, sk: `QUEUE#${firstQueue.queue_id}` }, { set: { usedAt: aged } });
const noted = await measured(() => acknowledge({}));

let sentUpTo = (await readHead()).event;
let bytesBefore = postedBytes.length;
const postingCpuMs: number[] = [];
const { trace: listing } = await withTrace(listWakeUpQueueRecords);
const posted = await medianOf(async (index) => {
  await call(sender, "POST", "/messages", {
    ...{ type: "channel", to: channel.id, topic: "connected" },
    content: `The shuttle goes through the shed for the ${index}th time, and nobody has dropped a thread.`,
  });
  const upTo = (await readHead()).event;
  const entries = await entriesBetween(sentUpTo, upTo);
  sentUpTo = upTo;
  if (index === 0) bytesBefore = postedBytes.length;
  const cpuBefore = cpuMs();
  const { readUnits, writeUnits } = await measured(() => notifyWaiters({ Records: entries.map(recordOf) } as never));
  postingCpuMs.push(cpuMs() - cpuBefore);
  const each = (value: number) => value / people.length;
  return { readUnits: each(readUnits - listing.readUnits), writeUnits: each(writeUnits) };
});
const eventBytes = median(postedBytes.slice(bytesBefore));

const another = await register(sender);
const tickets: Units[] = [];
const opened: Units[] = [];
for (let index = 0; index < repeats / 4; index++) {
  const { body, ...units } = await call(sender, "POST", "/events/connection", { queue_id: another.queue_id });
  tickets.push(units);
  const event = {
    requestContext: context(`bench-${index}=`),
    queryStringParameters: { ticket: ticketOf(body.url) },
  };
  opened.push(await measured(() => openConnection(event)));
}
// As in another process.
const noMemory = new WeakMap<object, object>();
provideHost({ memory: () => noMemory });
const connections = (await listWakeUpQueueRecords()).flatMap(({ queueId, userId, connectionId }) =>
  connectionId ? [{ queue_id: queueId, user_id: userId, connection_id: connectionId }] : [],
);
const ofJob = await measured(() =>
  runInBackground("post", "bench", () =>
    postInTime(
      {
        connections: connections.map((one) => ({ ...one, posted: sentUpTo - 1, evaluated: sentUpTo - 1 })),
        up_to: sentUpTo,
        at: nowSeconds(),
      },
      { isLast: true },
    ),
  ),
);
const postedByJob = {
  readUnits: ofJob.readUnits / connections.length,
  writeUnits: ofJob.writeUnits / connections.length,
};
console.log(
  JSON.stringify({
    ...{ ticket: tickets.at(-1), opened: opened.at(-1), acknowledged, reported },
    ...{ noted: { writeUnits: noted.writeUnits }, posted, postedByJob, eventBytes },
    postedCpuMs: median(postingCpuMs) / people.length,
  }),
);
await host.stop();
process.exit(0);
