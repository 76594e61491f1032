import { connectionsPerJob } from "../../shared/events/connections/post-jobs.ts";
import { maxPostedDirectly } from "../../shared/events/notify-waiters.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";
import type { ConnectedFigures } from "./connected.ts";
import type { LatencyFigures } from "./latency.ts";
import { jobsPerInvocation, sqsMs, type WakeUpFigures } from "./wake-ups.ts";

/** How soon a message reaches many connected clients. */

const measuredClients = 1000;
const simulatedClients = 10_000;

/** AWS's documented limits, of an account and of a function that consumes a queue. */
const limits = {
  /** API Gateway: a token bucket for all requests of an account, posts to connections included. */
  postsAtOnce: 5_000,
  postsPerMs: 10,
  /** Lambda begins with five batches of a queue at once, and adds up to 300 a minute. */
  firstRuns: 5,
  addedRunsPerMs: 300 / 60_000,
  /** The worker's own maximum (functions/jobs/deliver-due.ts). */
  maxRuns: 10,
};
/** Assumed: a read of the table, and a post. */
const readMs = 10;
const postMs = 10;

/**
 * The times after which an event of an organization is posted to each of its connections, in milliseconds from the start of the
 * notifier, which takes `noticeMs` to find them. Functions have a whole processor, which posts occupy one after another.
 */
export function simulateFanOut(
  connections: number,
  { noticeMs, cpuMsPerPost }: { noticeMs: number; cpuMsPerPost: number },
): number[] {
  const begun: number[] = [];
  const run = (startMs: number, count: number) => {
    const readAtMs = startMs + 2 * readMs;
    for (let index = 1; index <= count; index++) begun.push(readAtMs + index * cpuMsPerPost);
    return readAtMs + count * cpuMsPerPost + postMs;
  };
  run(noticeMs, Math.min(connections, maxPostedDirectly));
  const queuedAtMs = noticeMs + 2 * sqsMs;
  const freeAtMs = Array.from(
    { length: limits.maxRuns },
    (_, index) => queuedAtMs + Math.max(0, index + 1 - limits.firstRuns) / limits.addedRunsPerMs,
  );
  for (let left = connections - maxPostedDirectly; left > 0; left -= connectionsPerJob * jobsPerInvocation) {
    const next = freeAtMs.indexOf(Math.min(...freeAtMs));
    freeAtMs[next] = run(freeAtMs[next] as number, Math.min(left, connectionsPerJob * jobsPerInvocation));
  }
  let tokens = limits.postsAtOnce;
  let lastMs = 0;
  return begun
    .sort((a, b) => a - b)
    .map((wantedMs) => {
      const atMs = Math.max(wantedMs, lastMs);
      tokens = Math.min(limits.postsAtOnce, tokens + (atMs - lastMs) * limits.postsPerMs);
      const delayMs = Math.max(0, (1 - tokens) / limits.postsPerMs);
      tokens += delayMs * limits.postsPerMs - 1;
      lastMs = atMs + delayMs;
      return lastMs + postMs;
    });
}

const percentile = (sorted: readonly number[], share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

export const fanOut: Section<LatencyFigures> = {
  name: "fan-out",
  document: "docs/speed.md",
  title: "Posting to many connections",
  measure: () => runInChildProcess("listen-process.ts", "connection", "50", "20", String(measuredClients / 50)),
  text: (measured, { connected, "wake-ups": wakeUps }) => {
    const { postedCpuMs }: ConnectedFigures = connected;
    const { notify } = (wakeUps as WakeUpFigures[]).find(
      ({ clients }) => clients === simulatedClients,
    ) as WakeUpFigures;
    const simulated = simulateFanOut(simulatedClients, { noticeMs: notify.cpuMs, cpuMsPerPost: postedCpuMs });
    return [
      `A message twice a second to a channel of ${measured.listeners} connected clients, who share one machine with the host, and an organization-wide message to`,
      `${simulatedClients.toLocaleString("en-US")} connected clients on AWS, simulated: the notifier takes ${Math.round(notify.cpuMs)} ms of CPU to find them, as measured above; a post takes ${postedCpuMs.toFixed(1)} ms of CPU`,
      "([cost.md](cost.md#the-price-of-a-connection)); Lambda begins with five batches of jobs at once and adds five a second up to the worker's ten; API Gateway accepts 5,000",
      "posts at once and 10,000 a second. Functions that start cold are not counted, and neither is the time of the table's stream. Milliseconds:",
      "",
      table(
        ["clients", "p50", "p99", "last"],
        [
          [`${measured.listeners}, measured`, measured.p50, measured.p99, measured.longest],
          [
            `${simulatedClients.toLocaleString("en-US")}, simulated`,
            ...[0.5, 0.99, 1].map((share) => percentile(simulated, share)),
          ],
        ],
      ),
      "",
      `The measured messages were received ${measured.received} times of ${measured.expected}.`,
    ].join("\n");
  },
};
