import type { Row } from "../database.ts";
import { AwsError, type AwsRequest, type Operation } from "../protocol.ts";
import { type MessageAttribute, md5, md5OfAttributes } from "./message-digest.ts";
import type { Queue } from "./queue.ts";
import type { QueueStore } from "./store.ts";

const defaultMaxMessageBytes = 1_048_576;
/** Twelve hours. */
const maxVisibilitySeconds = 43_200;

const invalid = (message: string) => new AwsError("InvalidParameterValue", message);

/** The name of the queue in an input's QueueUrl; ignores the host and port, which change from start to start. */
export function queueNameIn(input: Row): string {
  if (typeof input.QueueUrl !== "string")
    throw new AwsError("MissingParameter", "The request must contain the parameter QueueUrl.");
  return input.QueueUrl.split("/").at(-1) ?? "";
}

/** The operations on a queue's messages. */
export function messageOperations(store: QueueStore) {
  return {
    SendMessage: (input: Row) => {
      const queue = store.getQueue(queueNameIn(input));
      const sent = send(store, queue, input);
      store.wake(queue.name);
      return sent;
    },
    SendMessageBatch: (input) => {
      const queue = store.getQueue(queueNameIn(input));
      const entries = entriesOf(input);
      if (
        entries.reduce((sum, entry) => sum + sizeOf(entry), 0) >
        Number(queue.attributes.MaximumMessageSize ?? defaultMaxMessageBytes)
      ) {
        throw new AwsError(
          "BatchRequestTooLong",
          "The length of all the messages put together is more than the limit.",
          {
            queryCode: "AWS.SimpleQueueService.BatchRequestTooLong",
          },
        );
      }
      const result = store.database.transaction(() => forEachEntry(entries, (entry) => send(store, queue, entry)));
      store.wake(queue.name);
      return result;
    },
    ReceiveMessage: async (input: Row, { disconnected }: Pick<AwsRequest, "disconnected">) => {
      const queue = store.getQueue(queueNameIn(input));
      const maxMessages = checkRange(input.MaxNumberOfMessages ?? 1, 1, 10, "MaxNumberOfMessages");
      const waitSeconds = checkRange(
        input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds ?? 0),
        0,
        20,
        "WaitTimeSeconds",
      );
      const visibilitySeconds = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout ?? 30);
      checkRange(visibilitySeconds, 0, maxVisibilitySeconds, "VisibilityTimeout");
      const deadline = Date.now() + waitSeconds * 1000;
      for (;;) {
        // A receiver that has disconnected must not take messages.
        if (disconnected.aborted) return {};
        const messages = store.take(store.getQueue(queue.name), maxMessages, visibilitySeconds);
        if (messages.length > 0) return { Messages: messages.map((message) => receivedMessage(message, input)) };
        if (Date.now() >= deadline) return {};
        await store.waitForMessages(queue.name, deadline, disconnected);
      }
    },
    DeleteMessage: (input) => remove(store, store.getQueue(queueNameIn(input)), input),
    DeleteMessageBatch: (input) => {
      const queue = store.getQueue(queueNameIn(input));
      return store.database.transaction(() => forEachEntry(entriesOf(input), (entry) => remove(store, queue, entry)));
    },
    ChangeMessageVisibility: (input) => changeVisibility(store, store.getQueue(queueNameIn(input)), input),
    ChangeMessageVisibilityBatch: (input) => {
      const queue = store.getQueue(queueNameIn(input));
      return forEachEntry(entriesOf(input), (entry) => changeVisibility(store, queue, entry));
    },
  } satisfies Record<string, Operation>;
}

function send(
  store: QueueStore,
  queue: Queue,
  { MessageBody: body, MessageAttributes: attributes = {}, DelaySeconds }: Row,
) {
  if (typeof body !== "string" || body === "")
    throw new AwsError("MissingParameter", "The request must contain the parameter MessageBody.");
  const maxBytes = Number(queue.attributes.MaximumMessageSize ?? defaultMaxMessageBytes);
  if (sizeOf({ MessageBody: body, MessageAttributes: attributes }) > maxBytes) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`);
  }
  if (DelaySeconds !== undefined) checkRange(DelaySeconds, 0, 900, "DelaySeconds");
  return {
    MessageId: store.append(queue, { body, attributes, delaySeconds: DelaySeconds }),
    MD5OfMessageBody: md5(body),
    MD5OfMessageAttributes: md5OfAttributes(attributes),
  };
}

function remove(store: QueueStore, queue: Queue, { ReceiptHandle }: Row): void {
  const { id, receipt } = readHandle(queue, ReceiptHandle);
  store.deleteMessage(queue.name, id, receipt);
}

function changeVisibility(store: QueueStore, queue: Queue, { ReceiptHandle, VisibilityTimeout }: Row): void {
  const { id } = readHandle(queue, ReceiptHandle);
  checkRange(VisibilityTimeout, 0, maxVisibilitySeconds, "VisibilityTimeout");
  const message = store.findMessage(queue.name, id);
  if (!message) throw invalid("Message does not exist or is not available for visibility timeout change.");
  if (message.visible_at <= Date.now()) {
    throw new AwsError("MessageNotInflight", "The specified message isn't in flight.", {
      queryCode: "AWS.SimpleQueueService.MessageNotInflight",
    });
  }
  store.hide(queue.name, id, VisibilityTimeout);
}

function receivedMessage(message: Row, input: Row) {
  const systemAttributes: Record<string, string> = {
    SenderId: message.sender,
    SentTimestamp: String(message.sent_at),
    ApproximateReceiveCount: String(message.received),
    ApproximateFirstReceiveTimestamp: String(message.first_received_at),
    ...(message.dead_letter_of && { DeadLetterQueueSourceArn: message.dead_letter_of }),
  };
  const messageAttributes: Record<string, MessageAttribute> = JSON.parse(message.attributes);
  const systemNames: string[] = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
  const attributeNames: string[] = input.MessageAttributeNames ?? [];
  const Attributes = pick(systemAttributes, (name) => systemNames.includes("All") || systemNames.includes(name));
  const MessageAttributes = pick(messageAttributes, (name) =>
    attributeNames.some(
      (pattern) =>
        pattern === "All" || pattern === name || (pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -2))),
    ),
  );
  return {
    MessageId: message.id,
    ReceiptHandle: writeHandle(message),
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(Attributes && { Attributes }),
    ...(MessageAttributes && { MessageAttributes, MD5OfMessageAttributes: md5OfAttributes(MessageAttributes) }),
  };
}

function pick<V>(values: Record<string, V>, wanted: (name: string) => boolean): Record<string, V> | undefined {
  const entries = Object.entries(values).filter(([name]) => wanted(name));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

const writeHandle = ({ queue, id, receipt }: Row) => Buffer.from(`${queue} ${id} ${receipt}`).toString("base64");

function readHandle(queue: Queue, handle: unknown): { id: string; receipt: string } {
  const [name, id, receipt] = Buffer.from(String(handle), "base64").toString().split(" ");
  if (name !== queue.name || !id || !receipt) {
    throw new AwsError(
      "ReceiptHandleIsInvalid",
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
      { status: 404 },
    );
  }
  return { id, receipt };
}

/** Returns an integer parameter, or throws if it is outside its range. */
function checkRange(value: unknown, min: number, max: number, name: string): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalid(`Value ${value} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}.`);
}

const sizeOf = ({ MessageBody = "", MessageAttributes = {} }: Row) =>
  Buffer.byteLength(String(MessageBody)) +
  (Object.keys(MessageAttributes).length > 0 ? JSON.stringify(MessageAttributes).length : 0);

function entriesOf({ Entries: entries }: Row): Row[] {
  const batchError = (code: string, message: string) =>
    new AwsError(code, message, { queryCode: `AWS.SimpleQueueService.${code}` });
  if (!Array.isArray(entries) || entries.length === 0) {
    throw batchError("EmptyBatchRequest", "There should be at least one entry in the request.");
  }
  if (entries.length > 10)
    throw batchError("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10.");
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw batchError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
  }
  return entries;
}

/** Runs `operate` for each entry of a batch; returns the batch's reply, with the entries that failed. */
function forEachEntry(entries: Row[], operate: (entry: Row) => unknown) {
  const Successful: Row[] = [];
  const Failed: Row[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...(operate(entry) as Row | undefined) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id: entry.Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}
