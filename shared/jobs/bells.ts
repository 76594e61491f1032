import { CreateQueueCommand, DeleteQueueCommand, QueueDoesNotExist, SendMessageCommand } from "@aws-sdk/client-sqs";
import { bellsUrl } from "../settings.ts";
import { sqs } from "./sqs.ts";

/**
 * Bells: SQS queues, one for each event queue whose client waits at API Gateway. They carry wake-ups and nothing else, so
 * that a lost or doubled ring does no harm: whoever is woken looks into the log.
 */

const urlOf = (queueId: string) => `${bellsUrl()}${queueId}`;

/** A ring is heard within a minute or not at all; what was heard stays hidden until it is forgotten, and is not heard again. */
const attributes = { MessageRetentionPeriod: "60", VisibilityTimeout: "120" };

/** Makes an event queue's bell; its name is as hard to guess as the queue's ID. */
export async function makeBell(queueId: string): Promise<void> {
  const QueueName = urlOf(queueId).split("/").at(-1);
  await sqs().send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
}

/** Removes a bell; one that is gone already is no error. */
export async function removeBell(queueId: string): Promise<void> {
  try {
    await sqs().send(new DeleteQueueCommand({ QueueUrl: urlOf(queueId) }));
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
}

/** Wakes whoever waits at the bell, or waits at it next within a minute. */
export async function ringBell(queueId: string): Promise<void> {
  await sqs().send(new SendMessageCommand({ QueueUrl: urlOf(queueId), MessageBody: "look" }));
}
