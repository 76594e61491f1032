import { connectionsPerJob } from "../../shared/features/events/connections/post-jobs.ts";
import { maxPostedDirectly } from "../../shared/features/events/notify-waiters.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";
import type { LatencyFigures } from "./latency.ts";
import { concurrentSends, jobsPerInvocation, sqsMs } from "./wake-ups.ts";

/** How soon a message reaches many connected clients. */

const measuredClients = 1000;
const simulatedClients = 10_000;

interface FanOutFigures {
  /** What clients on one machine receive. */
  latency: LatencyFigures;
  /** The CPU time that the notifier takes to find the connections of an event and to send their jobs, and that a post takes in a full run of the worker. */
  cpu: { connections: number; noticeCpuMs: number; postCpuMs: number; posts: number; expectedPosts: number };
}

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
  /** Lambda asks the table's stream for new entries four times a second. */
  streamMs: 250,
};
/** Assumed: a read of the table, and a post. */
const readMs = 10;
const postMs = 10;

/**
 * The times after which an event of an organization is posted to each of its connections, in milliseconds from the write of
 * its entry. Functions have a whole processor, which posts occupy one after another.
 */
function simulateFanOut(
  connections: number,
  { noticeCpuMs, postCpuMs }: Pick<FanOutFigures["cpu"], "noticeCpuMs" | "postCpuMs">,
): number[] {
  const begun: number[] = [];
  const paceMs = Math.max(postCpuMs, postMs / concurrentSends);
  const run = (startMs: number, count: number) => {
    const readAtMs = startMs + 2 * readMs;
    for (let index = 1; index <= count; index++) begun.push(readAtMs + index * paceMs);
    return readAtMs + count * paceMs + postMs;
  };
  const noticedAtMs = limits.streamMs + noticeCpuMs;
  run(noticedAtMs, Math.min(connections, maxPostedDirectly));
  const queuedAtMs = noticedAtMs + sqsMs;
  const freeAtMs = Array.from(
    { length: limits.maxRuns },
    (_, index) => queuedAtMs + Math.max(0, index + 1 - limits.firstRuns) / limits.addedRunsPerMs,
  );
  for (let left = connections - maxPostedDirectly; left > 0; left -= connectionsPerJob * jobsPerInvocation) {
    const next = freeAtMs.indexOf(Math.min(...freeAtMs));
    const receivedAtMs = (freeAtMs[next] as number) + sqsMs;
    freeAtMs[next] = run(receivedAtMs, Math.min(left, connectionsPerJob * jobsPerInvocation));
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

export const fanOut: Section<FanOutFigures> = {
  name: "fan-out",
  document: "docs/speed.md",
  title: "Posting to many connections",
  measure: async () => ({
    latency: await runInChildProcess("listen-process.ts", "connection", "50", "20", String(measuredClients / 50)),
    cpu: await runInChildProcess("fan-out-process.ts", String(simulatedClients)),
  }),
  text: ({ latency, cpu }) => {
    const simulated = simulateFanOut(simulatedClients, cpu);
    const count = simulatedClients.toLocaleString("en-US");
    return [
      `Measured: a message twice a second to ${latency.listeners} connected clients, which share one machine with the host. Simulated: one to ${count} on AWS, where`,
      `the notifier takes ${Math.round(cpu.noticeCpuMs)} ms of CPU and a post ${cpu.postCpuMs.toFixed(2)} ms, as measured in runs that post to ${connectionsPerJob * jobsPerInvocation} people; SQS takes ${sqsMs} ms, and`,
      "API Gateway accepts 10,000 posts a second. Milliseconds (target: 2,000 at the 99th percentile):",
      "",
      table(
        ["clients", "p50", "p99", "last"],
        [
          [`${latency.listeners}, measured`, latency.p50, latency.p99, latency.longest],
          [`${count}, simulated`, ...[0.5, 0.99, 1].map((share) => percentile(simulated, share))],
        ],
      ),
      "",
      `Of ${latency.expected} measured deliveries, ${latency.received} arrived.`,
    ].join("\n");
  },
};
