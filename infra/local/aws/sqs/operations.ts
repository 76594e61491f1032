import { hash } from "node:crypto";
import type { Row } from "../database.ts";
import { AwsError } from "../error.ts";
import type { Operations } from "../operations.ts";
import { type Queue, type QueueStore, queueArn, queueUrl } from "./store.ts";

const maxMessageBytes = 1_048_576;
const maxBatchEntries = 10;
/** Twelve hours. */
const maxVisibilitySeconds = 43_200;

const invalid = (message: string) => new AwsError("InvalidParameterValue", message);
const neverDisconnects = new AbortController().signal;

/** SQS, as far as the fleet uses it: standard queues. */
export function queueOperations(store: QueueStore) {
  const queueOf = ({ QueueUrl }: Row) => store.getQueue(String(QueueUrl).split("/").at(-1) ?? "");
  return {
    CreateQueue: ({ QueueName: name, Attributes: attributes = {} }) => {
      if (!/^[\w-]{1,80}$/.test(name))
        throw invalid("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length");
      if (!store.findQueue(name)) store.putQueue(name, attributes);
      return { QueueUrl: queueUrl(name) };
    },
    DeleteQueue: (input) => store.deleteQueue(queueOf(input).name),
    GetQueueAttributes: (input) => {
      const queue = queueOf(input);
      const { visible, inFlight, delayed } = store.count(queue.name);
      const Attributes = {
        ...queue.attributes,
        QueueArn: queueArn(queue.name),
        ApproximateNumberOfMessages: String(visible),
        ApproximateNumberOfMessagesNotVisible: String(inFlight),
        ApproximateNumberOfMessagesDelayed: String(delayed),
      };
      return { Attributes };
    },
    SendMessage: (input) => {
      const queue = queueOf(input);
      const sent = send(store, queue, input);
      store.wake(queue.name);
      return sent;
    },
    SendMessageBatch: (input) => {
      const queue = queueOf(input);
      const entries: Row[] = input.Entries;
      if (entries.length > maxBatchEntries)
        throw new AwsError("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10.");
      if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
        throw new AwsError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
      if (entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0) > maxMessageBytes)
        throw new AwsError("BatchRequestTooLong", "All the messages put together are longer than the limit.");
      const Successful = store.database.transaction(() =>
        entries.map((entry) => ({ Id: entry.Id, ...send(store, queue, entry) })),
      );
      store.wake(queue.name);
      return { Successful };
    },
    ReceiveMessage: async (input: Row, disconnected: AbortSignal = neverDisconnects) => {
      const queue = queueOf(input);
      const hideSeconds = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout ?? 30);
      const deadline = Date.now() + (input.WaitTimeSeconds ?? 0) * 1000;
      for (;;) {
        // A receiver that has disconnected must not take messages.
        if (disconnected.aborted) return {};
        const taken = store.take(store.getQueue(queue.name), input.MaxNumberOfMessages ?? 1, hideSeconds);
        if (taken.length > 0) return { Messages: taken.map(receivedMessage) };
        if (Date.now() >= deadline) return {};
        await store.waitForMessages(queue.name, deadline, disconnected);
      }
    },
    DeleteMessageBatch: (input: Row) => {
      const queue = queueOf(input);
      const entries: Row[] = input.Entries;
      store.database.transaction(() => {
        for (const { ReceiptHandle } of entries) {
          const { id, receipt } = readHandle(queue, ReceiptHandle);
          store.deleteMessage(queue.name, id, receipt);
        }
      });
      return { Successful: entries.map(({ Id }) => ({ Id })) };
    },
    ChangeMessageVisibility: (input) => {
      const queue = queueOf(input);
      const { id } = readHandle(queue, input.ReceiptHandle);
      checkRange(input.VisibilityTimeout, maxVisibilitySeconds, "VisibilityTimeout");
      const message = store.findMessage(queue.name, id);
      if (!message) throw invalid("Message does not exist or is not available for visibility timeout change.");
      if (message.visible_at <= Date.now())
        throw new AwsError("MessageNotInflight", "The specified message isn't in flight.");
      store.hide(queue.name, id, input.VisibilityTimeout);
    },
  } satisfies Operations;
}

function send(store: QueueStore, queue: Queue, { MessageBody: body, DelaySeconds = 0 }: Row) {
  if (typeof body !== "string" || body === "")
    throw new AwsError("MissingParameter", "The request must contain the parameter MessageBody.");
  if (Buffer.byteLength(body) > maxMessageBytes)
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${maxMessageBytes} bytes.`);
  checkRange(DelaySeconds, 900, "DelaySeconds");
  return { MessageId: store.append(queue, body, DelaySeconds) };
}

const receivedMessage = (message: Row) => ({
  MessageId: message.id,
  ReceiptHandle: Buffer.from(`${message.queue} ${message.id} ${message.receipt}`).toString("base64"),
  MD5OfBody: hash("md5", message.body),
  Body: message.body,
  Attributes: {
    SenderId: message.sender,
    SentTimestamp: String(message.sent_at),
    ApproximateReceiveCount: String(message.received),
    ApproximateFirstReceiveTimestamp: String(message.first_received_at),
  },
});

function readHandle(queue: Queue, handle: unknown): { id: string; receipt: string } {
  const [name, id, receipt] = Buffer.from(String(handle), "base64").toString().split(" ");
  if (name !== queue.name || !id || !receipt)
    throw new AwsError("ReceiptHandleIsInvalid", `The input receipt handle "${handle}" is not a valid receipt handle.`);
  return { id, receipt };
}

function checkRange(value: unknown, max: number, name: string): void {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > max)
    throw invalid(`Value ${value} for parameter ${name} is invalid. Reason: Must be between 0 and ${max}.`);
}
