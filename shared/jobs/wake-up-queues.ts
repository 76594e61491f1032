import { CreateQueueCommand, DeleteQueueCommand, QueueDoesNotExist, SendMessageCommand } from "@aws-sdk/client-sqs";
import { wakeUpQueuesUrl } from "../environment.ts";
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
