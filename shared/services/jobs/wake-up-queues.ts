import { CreateQueueCommand, DeleteQueueCommand, QueueDoesNotExist, SendMessageCommand } from "@aws-sdk/client-sqs";
import { batchesOf } from "../../base/batches.ts";
import { wakeUpQueuesUrl } from "../../base/environment.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { int, list, string } from "../../base/schema/params.ts";
import { nowSeconds } from "../../base/time.ts";
import { enqueueAll, jobKind } from "./queues.ts";
import { sqs } from "./sqs.ts";

/**
 * Wake-up queues: one SQS queue for each event queue whose client waits at API Gateway. A message says only that the client
 * should poll, so a lost or duplicate message does no harm: the client reads its events from the log.
 */

const urlOf = (queueId: string) => `${wakeUpQueuesUrl()}${queueId}`;

/** A wake-up is received within a minute or never. Once received, it stays hidden for longer than it is retained. */
const queueAttributes = { MessageRetentionPeriod: "60", VisibilityTimeout: "120" };

/** Creates an event queue's wake-up queue. Its name is as hard to guess as the event queue's ID. */
export async function createWakeUpQueue(queueId: string): Promise<void> {
  const QueueName = urlOf(queueId).split("/").at(-1);
  await sqs().send(new CreateQueueCommand({ QueueName, Attributes: queueAttributes }));
}

/** Deletes a wake-up queue. Idempotent. */
export async function deleteWakeUpQueue(queueId: string): Promise<void> {
  try {
    await sqs().send(new DeleteQueueCommand({ QueueUrl: urlOf(queueId) }));
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
}

/** Wakes the client that waits at the queue, or that comes to wait within a minute. */
export async function sendWakeUp(queueId: string): Promise<void> {
  await sqs().send(new SendMessageCommand({ QueueUrl: urlOf(queueId), MessageBody: "look" }));
}

/** Concurrent calls to SQS: as many as the SDK opens connections. */
const maxConcurrentSends = 50;
/** A worker gets up to ten jobs at once. */
export const clientsPerJob = 25;
/** After this, clients have polled by themselves. */
const maxJobAgeSeconds = 60;

export const wakeClientsJob = jobKind("deliveries", "wake-clients", {
  queue_ids: list(string()),
  /** UNIX seconds at which the event was noticed. */
  at: int(),
});

/** Has the clients woken by other invocations. */
export async function wakeByJobs(queueIds: readonly string[]): Promise<void> {
  const at = nowSeconds();
  const jobs = [...batchesOf(queueIds, clientsPerJob)].map((queue_ids) => ({ queue_ids, at }));
  await enqueueAll(wakeClientsJob, jobs).catch((error: unknown) => logFailures([error]));
}

/** Wakes the clients of a job, unless it is so late that they have polled already. */
export async function wakeInTime(queueIds: readonly string[], at: number): Promise<void> {
  if (Date.now() / 1000 - at <= maxJobAgeSeconds) await wake(queueIds);
}

export async function wake(queueIds: readonly string[]): Promise<void> {
  const remaining = [...queueIds];
  const failures: unknown[] = [];
  const senders = Array.from({ length: maxConcurrentSends }, async () => {
    for (let queueId = remaining.pop(); queueId !== undefined; queueId = remaining.pop())
      await sendWakeUp(queueId).catch((error: unknown) => failures.push(error));
  });
  await Promise.all(senders);
  logFailures(failures);
}

/** Does not throw: a retry would wake everybody again, and a client that was not woken polls within a minute anyway. */
function logFailures(failures: readonly unknown[]): void {
  if (failures.length > 0)
    console.error(JSON.stringify({ wakeUps: "not sent", count: failures.length, error: describeError(failures[0]) }));
}
