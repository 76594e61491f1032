import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSMessageAttributes, SQSRecord, SQSRecordAttributes } from "aws-lambda";

interface EventSourceOptions {
  queueUrl: string;
  queueArn: string;
  /** Messages in one invocation, 1 to 10. */
  batchSize: number;
  /** Concurrent invocations. */
  concurrency: number;
  visibilityTimeoutSeconds: number;
  handler: (event: SQSEvent) => Promise<SQSBatchResponse | undefined> | Promise<void>;
  /** Default: created from the environment. */
  client?: SQSClient;
}

export interface EventSource {
  /** Receives no more messages, and resolves when the running invocations are done. */
  stop(): Promise<void>;
}

const pauseAfterErrorMs = 500;

/** Emulates Lambda's event source mapping: failed messages become visible again after the visibility timeout. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const stopping = new AbortController();
  const client = options.client ?? new SQSClient({});
  // Each poller runs one invocation at a time.
  const pollers = Array.from({ length: options.concurrency }, () => poll(client, options, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(pollers);
      if (!options.client) client.destroy();
    },
  };
}

async function poll(client: SQSClient, options: EventSourceOptions, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: options.queueUrl,
          MaxNumberOfMessages: options.batchSize,
          VisibilityTimeout: options.visibilityTimeoutSeconds,
          WaitTimeSeconds: 20,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
        { abortSignal: stopping },
      );
      if (Messages.length > 0) await processBatch(client, options, Messages);
    } catch (error) {
      if (stopping.aborted) return;
      console.error(JSON.stringify({ eventSource: options.queueArn, error: String(error) }));
      await new Promise((resolve) => setTimeout(resolve, pauseAfterErrorMs));
    }
  }
}

async function processBatch(
  client: SQSClient,
  { queueUrl, queueArn, handler }: EventSourceOptions,
  messages: Message[],
) {
  let failedIds: Set<string>;
  try {
    const answer = await handler({ Records: messages.map((message) => recordOf(message, queueArn)) });
    failedIds = new Set(answer?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));
  } catch (error) {
    console.error(JSON.stringify({ eventSource: queueArn, error: String(error) }));
    return;
  }
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  // Like Lambda, treats an unknown ID in the answer as a failure of the whole batch.
  if ([...failedIds].some((id) => !ids.has(id))) return;
  const succeeded = messages.filter(({ MessageId }) => !failedIds.has(MessageId ?? ""));
  if (succeeded.length === 0) return;
  const Entries = succeeded.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
}

/** One record of the event, with the fields that Lambda sets. */
function recordOf(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: message.Attributes as unknown as SQSRecordAttributes,
    messageAttributes: attributesOf(message),
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  };
}

function attributesOf({ MessageAttributes = {} }: Message): SQSMessageAttributes {
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { DataType = "String", StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );
}
