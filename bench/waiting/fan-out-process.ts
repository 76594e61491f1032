import { spawn } from "node:child_process";
import { once } from "node:events";
import { handler as deliverDue } from "../../functions/jobs/deliver-due.ts";
import { batchesOf } from "../../shared/base/batches.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { connectionsPerJob } from "../../shared/features/events/connections/post-jobs.ts";
import { maxPostedDirectly, notifyWaiters } from "../../shared/features/events/notify-waiters.ts";
import { entriesBetween } from "../../shared/features/events/position.ts";
import { putEventQueue } from "../../shared/store/delivery/event-queues.ts";
import { putWakeUpQueueRecord } from "../../shared/store/delivery/wake-up-queues.ts";
import { eventForEveryone } from "../../shared/store/log/entry.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { createUsers, startBenchHost } from "../host/bench-host.ts";
import { jobsPerInvocation, sqsMs } from "./wake-ups.ts";

/**
 * A program that measures the CPU time of posting an organization-wide event to as many connections as its argument says: of the
 * notifier's run, and of the worker's runs with ten jobs each, which post to 250 people. The functions run in this process;
 * another one stands for SQS and API Gateway. Prints one line of JSON.
 */

const connections = Number(process.argv[2]);
const postsPerRun = connectionsPerJob * jobsPerInvocation;
const [rounds, warmUpRounds] = [4, 1];

const host = await startBenchHost();
const services = spawn(process.execPath, ["bench/waiting/sqs-process.ts", String(sqsMs)], {
  stdio: ["pipe", "pipe", "inherit"],
});
const url = String(((await once(services.stdout, "data")) as Buffer[])[0]).trim();
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SQS: url,
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: url,
  QUEUE_URL_DELIVERIES: `${url}/0/deliveries`,
});
const sent = async () => (await (await fetch(url)).json()) as { jobs: string[]; posts: number };

const people = await Promise.all(
  (await createUsers(postsPerRun)).map(async ({ id, email }) => {
    const { keyHash = "" } = (await findAccount(email)) ?? {};
    return { userId: id, connectedAs: { email, keyHash } };
  }),
);
const { event: base } = await readHead();
const channelIds = new Set(Array.from({ length: 20 }, (_, index) => index + 1));
const numbers = Array.from({ length: connections }, (_, index) => index);
// Records are read in the order of their keys.
const idOf = (number: number) => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
const connectionIdOf = (number: number) => `bench-${number}=`;
const personOf = (number: number) => people[number % people.length] as (typeof people)[number];

for (const batch of batchesOf(numbers, 50))
  await Promise.all([
    ...batch.map((number) =>
      putEventQueue({
        ...{ id: idOf(number), connectionId: connectionIdOf(number), ...personOf(number), hasWakeUpQueue: true },
        ...{ base, sequence: base, channelIds, lifespan: 3600, usedAt: nowSeconds(), narrow: [] },
        ...{ allPublicStreams: false, applyMarkdown: true, clientGravatar: true, slimPresence: true },
        ...{ includeSubscribers: "partial", capabilities: [] },
      }),
    ),
    transact(
      batch.map((number) =>
        putWakeUpQueueRecord({
          ...{ queueId: idOf(number), userId: personOf(number).userId, connectionId: connectionIdOf(number) },
          ...{ dueAt: nowSeconds() + 3600, channelIds },
        }),
      ),
    ),
  ]);

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const noticeCpuMs: number[] = [];
const runCpuMs: number[] = [];
for (let round = 0; round < rounds; round++) {
  const [{ event: before }, { jobs: earlier }] = [await readHead(), await sent()];
  const data = { name: `Globe ${round}` };
  await commit({ events: [eventForEveryone({ type: "realm", op: "update_dict", property: "default", data })] });
  const entries = await entriesBetween(before, (await readHead()).event);
  noticeCpuMs.push(await cpuMsOf(() => withRequestScope(() => notifyWaiters(entries))));
  const jobs = (await sent()).jobs.slice(earlier.length);
  for (const batch of batchesOf(jobs, jobsPerInvocation)) {
    if (batch.length < jobsPerInvocation) break;
    const Records = batch.map((body, index) => ({
      ...{ messageId: String(index), receiptHandle: String(index), body },
      attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) },
    }));
    runCpuMs.push(await cpuMsOf(() => deliverDue({ Records } as never)));
  }
}
const runsPerRound = runCpuMs.length / rounds;
console.log(
  JSON.stringify({
    connections,
    noticeCpuMs: median(noticeCpuMs.slice(warmUpRounds)),
    postCpuMs: median(runCpuMs.slice(warmUpRounds * runsPerRound)) / postsPerRun,
    posts: (await sent()).posts,
    // What no full run posts to is left out.
    expectedPosts: rounds * (maxPostedDirectly + runsPerRound * postsPerRun),
  }),
);
services.kill();
await host.stop();
process.exit(0);
