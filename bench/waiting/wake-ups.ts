import { spawn } from "node:child_process";
import { once } from "node:events";
import { maxWokenDirectly, notifyWaiters } from "../../shared/features/events/notify-waiters.ts";
import { clientsPerJob } from "../../shared/services/jobs/wake-up-queues.ts";
import { putWakeUpQueueRecord } from "../../shared/store/delivery/wake-up-queues.ts";
import { eventForEveryone } from "../../shared/store/log/entry.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { startBenchHost } from "../host/bench-host.ts";
import { type Section, table } from "../section.ts";

/** The time that SQS takes to answer. */
export const sqsMs = 25;
const clientCounts = [500, 5000, 10_000];
/** How many calls to a service a function makes at once: as many as the SDK opens connections. */
export const concurrentSends = 50;
/** How many jobs Lambda gives to one invocation of a worker. */
export const jobsPerInvocation = 10;
const channels = 20;

/** One invocation of a function. */
interface Invocation {
  clients: number;
  ms: number;
  cpuMs: number;
}

interface WakeUpFigures {
  clients: number;
  woken: number;
  notify: Invocation;
  /** The invocations of the worker. */
  workers: Invocation[];
}

/** How long the functions take that wake all waiting clients for an organization-wide event. */
export const wakeUps: Section<WakeUpFigures[]> = {
  name: "wake-ups",
  document: "docs/speed.md",
  title: "Waking many clients",
  measure: async () => {
    const host = await startBenchHost();
    const sqs = spawn(process.execPath, ["bench/waiting/sqs-process.ts", String(sqsMs)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      const url = String(((await once(sqs.stdout, "data")) as Buffer[])[0]).trim();
      Object.assign(process.env, {
        AWS_ENDPOINT_URL_SQS: url,
        WAKE_UP_QUEUES_URL: `${url}/0/waiting-`,
        QUEUE_URL_DELIVERIES: `${url}/0/deliveries`,
      });
      const figures: WakeUpFigures[] = [];
      let created = 0;
      // The modules are loaded and the connections open, as in a function that has run before.
      await createRecords(0, 100);
      await measureWakeUps(url, 100);
      created = 100;
      for (const clients of clientCounts) {
        await createRecords(created, clients);
        created = clients;
        figures.push(await measureWakeUps(url, clients));
      }
      return figures;
    } finally {
      sqs.kill();
      await host.stop();
    }
  },
  text: (figures) =>
    [
      `An event for everybody [wakes every waiting client](data-model.md#what-follows-from-the-log). SQS answers after ${sqsMs} ms here; *on Lambda* is`,
      "the longer of the CPU time and the time that SQS takes for the messages, sent fifty at once.",
      "",
      table(
        [
          ...["waiting clients", "woken", "notifier's CPU ms", "on Lambda ms"],
          ...["worker's invocations", "the longest's CPU ms", "on Lambda ms"],
        ],
        figures.map(({ clients, woken, notify, workers }) => {
          const longest = workers.toSorted((a, b) => onLambda(b) - onLambda(a))[0];
          return [clients, woken, ...cells(notify), workers.length, ...(longest ? cells(longest) : ["", ""])];
        }),
      ),
    ].join("\n"),
};

const onLambda = ({ clients, cpuMs }: Invocation) => Math.max(cpuMs, Math.ceil(clients / concurrentSends) * sqsMs);
const cells = (invocation: Invocation) => [invocation.cpuMs, onLambda(invocation)].map(Math.round);

/** Adds records of clients that wait, up to `count`, each with 20 channels. */
async function createRecords(from: number, count: number): Promise<void> {
  const channelIds = new Set(Array.from({ length: channels }, (_, index) => index + 1));
  const dueAt = Math.floor(Date.now() / 1000) + 600;
  for (let start = from; start < count; start += 100) {
    const numbers = Array.from({ length: Math.min(100, count - start) }, (_, index) => start + index);
    await transact(
      numbers.map((number) =>
        putWakeUpQueueRecord({
          queueId: crypto.randomUUID(),
          userId: number,
          dueAt,
          channelIds,
          eventTypes: ["realm"],
        }),
      ),
    );
  }
}

async function measureWakeUps(url: string, clients: number): Promise<WakeUpFigures> {
  const sentBefore = await sentTo(url);
  const logged = eventForEveryone({ type: "realm", op: "update_dict", property: "default", data: { name: "Globe" } });
  const notify = await measured(maxWokenDirectly, () => notifyWaiters([{ sequence: 1, ...logged }]));
  const jobs = (await sentTo(url)).jobs.slice(sentBefore.jobs.length);
  const { handler } = await import("../../functions/jobs/deliver-due.ts");
  const workers: Invocation[] = [];
  for (let start = 0; start < jobs.length; start += jobsPerInvocation) {
    // One after the other the invocations take longer than in parallel, and late jobs would be dropped.
    const current = ({ kind, job }: { kind: string; job: object }) =>
      JSON.stringify({ kind, job: { ...job, at: Math.floor(Date.now() / 1000) } });
    const Records = jobs.slice(start, start + jobsPerInvocation).map((body, index) => ({
      ...{ messageId: String(index), receiptHandle: String(index), body: current(JSON.parse(body)) },
      attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) },
    }));
    workers.push(await measured(clientsPerJob * jobsPerInvocation, () => handler({ Records } as never)));
  }
  const woken = (await sentTo(url)).messages - sentBefore.messages;
  return { clients, woken, notify, workers };
}

const sentTo = async (url: string) => (await (await fetch(url)).json()) as { jobs: string[]; messages: number };

async function measured(clients: number, work: () => Promise<unknown>): Promise<Invocation> {
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { clients, ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}
