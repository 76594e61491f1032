import { handler as deliverDue } from "../../functions/jobs/deliver-due.ts";
import { handler as sendOutgoing } from "../../functions/jobs/send-outgoing.ts";
import { handler as sendMails } from "../../functions/mail/send-mails.ts";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { batchesOf } from "../../shared/base/batches.ts";
import type { Trace } from "../../shared/base/observability/metrics.ts";
import { withTrace, writeRequestRecords } from "../../shared/base/observability/trace.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { trafficCounts } from "../../shared/features/channels/count-traffic.ts";
import { notifyWaiters } from "../../shared/features/events/notify-waiters.ts";
import { searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { sendMissedMailsJob } from "../../shared/messaging/missed-mail/jobs.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { startNotificationCursor } from "../../shared/messaging/notifications/notifications-enabled.ts";
import { runInBackground } from "../../shared/services/jobs/background.ts";
import { consumeLogFor, type Subscriber } from "../../shared/services/jobs/log-consumer.ts";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { wakeClientsJob } from "../../shared/services/jobs/wake-up-queues.ts";
import { sendMailJob } from "../../shared/services/mail/jobs.ts";
import { type Channel, updateChannelStats } from "../../shared/store/channels/channels.ts";
import { putUserTopic, visibilityPolicies } from "../../shared/store/channels/user-topics.ts";
import { seenDueMails } from "../../shared/store/delivery/missed-messages.ts";
import { putWakeUpQueueRecord } from "../../shared/store/delivery/wake-up-queues.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { readEntries } from "../../shared/store/log/stored-entry.ts";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { batchWrite } from "../../shared/store/table/bulk.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import type { Item, Key, Write } from "../../shared/store/table/writes.ts";
import { aCrowd } from "../../test/support/table/crowd.ts";
import { presenceOf } from "../../test/support/table/seed-presence.ts";
import { advanceClock } from "../host/bench-clock.ts";
import { type Actor, createChannel, createUsers } from "../host/bench-host.ts";
import { invoke } from "../host/invoke.ts";
import { variedText } from "../texts.ts";

/**
 * Counts all that messages cause: the requests that send them, the function that wakes waiting clients, the log's subscribers, and
 * the jobs of both, by running all of these in this process.
 */

/** What the requests, the runs of a subscriber, or the jobs of one kind used. */
export interface Usage extends Omit<Trace, "stages" | "tableRetries"> {
  runs: number;
}

/** A team of which half waits at wake-up queues, and half is away, follows the topic and gets mail. */
export interface Team {
  people: number;
  /** Those of the connected half who write. */
  writers: readonly Actor[];
  connectedIds: readonly number[];
  awayIds: readonly number[];
  channel: Channel;
}

/** What some messages of one topic caused. */
export interface Caused {
  messages: number;
  /** How often the log's subscribers ran. */
  steps: number;
  /** Sending the messages, the function that wakes clients, each subscriber, and each kind of job, by name. */
  work: Record<string, Usage>;
  /** How many clients were woken, by a message to SQS each. */
  wakeUps: number;
}

/** The names in `work` of what is neither a subscriber of the log nor a job. */
export const [sending, waking] = ["send a message", "wake clients"] as const;
/** The subscribers that one function runs (functions/jobs/consume-log.ts). */
export const subscribers: readonly Subscriber[] = [notifications, trafficCounts, searchIndex];

export const topic = "breach";
/** A team has at most so many who write. */
const maxWriters = 8;
/** The batching window of the log's subscribers. */
const batchingSeconds = 2;
/** How many jobs Lambda passes to one run of a worker. */
export const jobsPerRun = 10;
/** Far from the IDs that users get. */
const firstCrowdId = 700_000;
const secondsPerHour = 3600;

interface QueuedJob {
  queue: string;
  body: string;
  /** UNIX seconds from which on a worker may receive it. */
  at: number;
}

/** The jobs and wake-ups that this process has sent and that are not delivered to the host's queues. */
const sent = { jobs: [] as QueuedJob[], wakeUps: 0 };
const wakeUpsUrl = "http://127.0.0.1/wake-up-";

/**
 * Keeps this process's jobs and wake-ups, so that their runs can be counted. Call it before anything is traced, on a host whose
 * table this process uses.
 */
export async function keepJobs(): Promise<void> {
  process.env.WAKE_UP_QUEUES_URL = wakeUpsUrl;
  process.env.MAIL_FROM ??= "skein@globe.test";
  observeAwsCalls(async ({ client, input }, proceed) => {
    const url = String(input.QueueUrl ?? "");
    if (client !== "SQSClient" || url === "") return proceed();
    if (url.startsWith(wakeUpsUrl)) sent.wakeUps++;
    else for (const entry of (input.Entries as Item[] | undefined) ?? [input]) keepJob(url, entry);
    return { output: {} };
  });
  await startNotificationCursor();
}

const keepJob = (url: string, { MessageBody, DelaySeconds = 0 }: Record<string, unknown>) =>
  sent.jobs.push({ queue: url, body: String(MessageBody), at: nowSeconds() + Number(DelaySeconds) });

let createdTeams = 0;

/** Creates a team in a channel of its own. With `device`, each of those who are away has one. */
export async function createTeam(
  people: number,
  { device }: Pick<Parameters<typeof aCrowd>[2], "device"> = {},
): Promise<Team> {
  const number = ++createdTeams;
  const awayCount = Math.floor(people / 2);
  const connectedCount = people - awayCount;
  const writers = await createUsers(Math.min(maxWriters, connectedCount));
  const channel = await createChannel(`harfleur ${number}`, writers);
  const base = firstCrowdId + number * 50_000;
  const options = { channelId: channel.id, settings: {}, hasAccount: true };
  const away = await aCrowd(base, awayCount, { ...options, ...(device && { device }) });
  const others = await aCrowd(base + awayCount, connectedCount - writers.length, options);
  const connectedIds = [...writers.map(({ id }) => id), ...others.ids];
  await batchWrite([
    ...away.ids.flatMap((userId) =>
      itemsOf(
        putUserTopic({ userId, channelId: channel.id, topic, policy: visibilityPolicies.followed, updatedAt: 0 }),
      ),
    ),
    ...connectedIds.flatMap((userId) =>
      itemsOf(
        putWakeUpQueueRecord({
          queueId: `00000000-0000-4000-8000-${String(userId).padStart(12, "0")}`,
          userId,
          dueAt: nowSeconds() + 7 * 24 * secondsPerHour,
          eventTypes: ["message", "update_message", "delete_message", "update_message_flags", "reaction", "typing"],
          channelIds: new Set([channel.id, ...Array.from({ length: 10 }, (_, index) => 1000 + index)]),
        }),
      ),
    ),
    ...away.ids.map((id) => presenceItem(id, nowSeconds() - secondsPerHour)),
    ...connectedIds.map((id) => presenceItem(id, nowSeconds())),
  ]);
  const added = away.ids.length + others.ids.length;
  await transact([updateChannelStats(channel.id, { add: { subscriberCount: added } }), bumpUsersVersion()]);
  return { people, writers, connectedIds, awayIds: away.ids, channel };
}

const itemsOf = (write: Write): Item[] => (write.kind === "put" ? [write.item] : []);

const presenceItem = (userId: number, at: number): Item => ({
  ...presenceOf(userId),
  ...{ userId, lastActive: at, lastConnected: at, updateId: 1 },
});

/** The clients of those who write and who may be mailed themselves ping every minute. */
const keepConnected = ({ writers }: Team) => batchWrite(writers.map(({ id }) => presenceItem(id, nowSeconds())));

/** How much of the same work is done, and counted for all of it. */
interface Sample {
  /** Of the jobs that mail people. */
  mailJobs: number;
  /** Of the runs in a step that wake clients. */
  wakings: number;
}
const everything: Sample = { mailJobs: Number.POSITIVE_INFINITY, wakings: Number.POSITIVE_INFINITY };

/**
 * Sends messages of one topic in turn, some in each batching window of the log's subscribers. Then does all that follows, also the
 * mails that are due minutes later, while everybody stays where they are.
 */
export async function converse(
  team: Team,
  messages: number,
  { perStep = messages, sample = everything } = {},
): Promise<Caused> {
  const work: Record<string, Usage> = {};
  const add = (name: string, trace: Omit<Trace, "stages">) => {
    work[name] ??= { runs: 0, readUnits: 0, writeUnits: 0, tableCalls: 0, otherCalls: 0 };
    const usage = work[name];
    usage.runs++;
    for (const key of ["readUnits", "writeUnits", "tableCalls", "otherCalls"] as const) usage[key] += trace[key];
  };
  await keepConnected(team);
  Object.assign(sent, { jobs: [], wakeUps: 0 });
  let steps = 0;
  const wakings = { needed: 0, run: 0 };
  for (let first = 0; first < messages; first += perStep) {
    const before = await readHead();
    for (let index = first; index < Math.min(messages, first + perStep); index++)
      add(sending, await sendMessage(team, index));
    const entries = await readEntries(before.event, (await readHead()).event);
    writeRequestRecords(({ endpoint, ...trace }) => add(endpoint.replace(/^job /, ""), trace));
    // The stream passes on each entry at once to the function that wakes clients.
    const woken = entries.slice(0, sample.wakings);
    for (const entry of woken) await runInBackground(waking, "", () => notifyWaiters([entry]));
    wakings.needed += entries.length;
    wakings.run += woken.length;
    // As in functions/jobs/consume-log.ts, but each is counted.
    const consume = async (subscriber: Subscriber) =>
      add(subscriber.name, (await withTrace(() => consumeLogFor([subscriber], entries))).trace);
    await withRequestScope(() => Promise.all(subscribers.map(consume)));
    steps++;
    advanceClock(batchingSeconds);
  }
  const mails = await runJobs(team, sample.mailJobs);
  const wakingsForEach = wakings.needed / wakings.run;
  const mailsForEach = mails.run > 0 ? mails.needed / mails.run : 1;
  multiply(work, [waking, wakeClientsJob.name], wakingsForEach);
  multiply(work, [sendMissedMailsJob.name, sendMailJob.name], mailsForEach);
  return { messages, steps, work, wakeUps: sent.wakeUps * wakingsForEach };
}

function multiply(work: Caused["work"], names: readonly string[], factor: number): void {
  for (const usage of names.flatMap((name) => work[name] ?? []))
    for (const figure of Object.keys(usage) as (keyof Usage)[]) usage[figure] *= factor;
}

async function sendMessage({ writers, channel }: Team, index: number): Promise<Trace> {
  const writer = writers[index % writers.length] as Actor;
  const params = { type: "channel", to: channel.id, topic, content: variedText(index) };
  const { status, body, record } = await invoke(writer, { method: "POST", path: "/messages", params });
  if (status !== 200) throw new Error(body.msg);
  return record;
}

const workers = { deliveries: deliverDue, mail: sendMails, outgoing: sendOutgoing };

/** Runs all jobs when they are due, up to ten of a queue at once as Lambda does. Returns how many jobs for mails were run. */
async function runJobs(team: Team, maxMailJobs: number): Promise<{ needed: number; run: number }> {
  const mails = { needed: 0, run: 0 };
  while (sent.jobs.length > 0) {
    const waitSeconds = Math.min(...sent.jobs.map(({ at }) => at)) - nowSeconds();
    if (waitSeconds > 0) {
      advanceClock(waitSeconds);
      await keepConnected(team);
    }
    const due = sent.jobs.filter((job) => {
      if (job.at > nowSeconds()) return false;
      if (JSON.parse(job.body).kind !== sendMissedMailsJob.name) return true;
      return ++mails.needed <= maxMailJobs && ++mails.run > 0;
    });
    sent.jobs = sent.jobs.filter(({ at }) => at > nowSeconds());
    for (const [name, worker] of Object.entries(workers)) {
      const url = process.env[queueUrlVariable(name)];
      for (const jobs of batchesOf(
        due.filter(({ queue }) => queue === url),
        jobsPerRun,
      )) {
        const { batchItemFailures } = await worker({ Records: jobs.map(recordOf) } as never);
        if (batchItemFailures.length > 0) throw new Error("A job failed; the output has the error");
      }
    }
  }
  // The mails that were not sent must not be there for the next conversation.
  if (mails.needed > mails.run) await batchWrite([], team.awayIds.map(dueMailOf));
  seenDueMails.clear();
  return mails;
}

const dueMailOf = (userId: number): Key => ({ pk: `USER#${userId}`, sk: "DUEMAIL" });

const recordOf = ({ body }: QueuedJob) => ({
  ...{ messageId: "", receiptHandle: "", body },
  attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) },
});
