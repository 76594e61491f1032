import type { DeleteMessageBatchCommandInput, Message, ReceiveMessageCommandInput } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord, SQSRecordAttributes } from "aws-lambda";

/** The operations of SQS that an event source uses. */
export interface SourceQueue {
  receiveMessage(
    input: ReceiveMessageCommandInput,
    disconnected: AbortSignal,
  ): Promise<{ Messages?: Message[] | undefined }>;
  deleteMessages(input: DeleteMessageBatchCommandInput): unknown;
}

interface EventSourceOptions {
  queue: SourceQueue;
  queueUrl: string;
  queueArn: string;
  /** Messages in one invocation, 1 to 10. */
  batchSize: number;
  /** Concurrent invocations. */
  concurrency: number;
  visibilityTimeoutSeconds: number;
  handler: (event: SQSEvent) => Promise<SQSBatchResponse | undefined> | Promise<void>;
}

export interface EventSource {
  /** Receives no more messages, and resolves when the running invocations are done. */
  stop(): Promise<void>;
}

const pauseAfterErrorMs = 500;

/** Emulates Lambda's event source mapping: failed messages become visible again after the visibility timeout. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const stopping = new AbortController();
  // Each poller runs one invocation at a time.
  const pollers = Array.from({ length: options.concurrency }, () => poll(options, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(pollers);
    },
  };
}

async function poll(options: EventSourceOptions, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const { Messages = [] } = await options.queue.receiveMessage(
        {
          QueueUrl: options.queueUrl,
          MaxNumberOfMessages: options.batchSize,
          VisibilityTimeout: options.visibilityTimeoutSeconds,
          WaitTimeSeconds: 20,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        },
        stopping,
      );
      if (Messages.length > 0) await processBatch(options, Messages);
    } catch (error) {
      if (stopping.aborted) return;
      console.error(JSON.stringify({ eventSource: options.queueArn, error: String(error) }));
      await new Promise((resolve) => setTimeout(resolve, pauseAfterErrorMs));
    }
  }
}

async function processBatch({ queue, queueUrl, queueArn, handler }: EventSourceOptions, messages: Message[]) {
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
  await queue.deleteMessages({ QueueUrl: queueUrl, Entries });
}

/** One record of the event, with the fields that Lambda sets. */
function recordOf(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: message.Attributes as unknown as SQSRecordAttributes,
    // The fleet sends none.
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  };
}
