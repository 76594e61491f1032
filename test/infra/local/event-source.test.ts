import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AwsEmulator, startAwsEmulator } from "../../../infra/local/aws/server.ts";
import { type EventSource, startEventSource } from "../../../infra/local/event-source.ts";
import { unique } from "../contract/target.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "a secret of this test" };
let emulator: AwsEmulator;
let dataFolder: string;
let client: SQSClient;
let source: EventSource | undefined;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-events-"));
  emulator = await startAwsEmulator({ dataFolder, ...credentials });
  client = new SQSClient({ endpoint: emulator.url, credentials, region: "us-east-1" });
});

afterEach(() => source?.stop());

afterAll(async () => {
  client?.destroy();
  await emulator?.close();
  await rm(dataFolder, { recursive: true, force: true });
});

async function aQueue() {
  const QueueName = unique("jobs");
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  return { queueUrl: QueueUrl!, queueArn: `arn:aws:sqs:us-east-1:000000000000:${QueueName}` };
}
type Queue = Awaited<ReturnType<typeof aQueue>>;

function feed(queue: Queue, handle: (record: SQSRecord) => boolean): void {
  const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => ({
    batchItemFailures: Records.filter((record) => !handle(record)).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  });
  source = startEventSource({
    ...queue,
    batchSize: 10,
    concurrency: 2,
    visibilityTimeoutSeconds: 1,
    handler,
    queue: emulator,
  });
}

const send = ({ queueUrl: QueueUrl }: Queue, MessageBody: string) =>
  client.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody,
      MessageAttributes: { kind: { DataType: "String", StringValue: "test" } },
    }),
  );

const countMessages = async ({ queueUrl: QueueUrl }: Queue) => {
  const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
};

test("a handler receives the same record as on Lambda, and the message is deleted afterwards", async () => {
  const queue = await aQueue();
  const records: SQSRecord[] = [];
  feed(queue, (record) => records.push(record) > 0);
  const { MessageId, MD5OfMessageBody, MD5OfMessageAttributes } = await send(queue, "job");

  await expect.poll(() => countMessages(queue)).toBe(0);
  await expect.poll(() => records.length).toBe(1);

  expect(records).toEqual([
    {
      messageId: MessageId,
      receiptHandle: expect.any(String),
      body: "job",
      attributes: {
        ApproximateReceiveCount: "1",
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SenderId: expect.any(String),
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      },
      messageAttributes: {
        kind: { stringValue: "test", stringListValues: [], binaryListValues: [], dataType: "String" },
      },
      md5OfMessageAttributes: MD5OfMessageAttributes,
      md5OfBody: MD5OfMessageBody,
      eventSource: "aws:sqs",
      eventSourceARN: queue.queueArn,
      awsRegion: "us-east-1",
    },
  ]);
});

test("only failed messages are retried, after the visibility timeout", async () => {
  const queue = await aQueue();
  const attempts: string[] = [];
  await send(queue, "good");
  await send(queue, "bad");
  feed(queue, ({ body, attributes }) => {
    attempts.push(`${body} ${attributes.ApproximateReceiveCount}`);
    return body === "good" || attributes.ApproximateReceiveCount === "2";
  });

  await expect.poll(() => attempts.length).toBe(3);

  expect(attempts.toSorted()).toEqual(["bad 1", "bad 2", "good 1"]);
  await expect.poll(() => countMessages(queue)).toBe(0);
});

test("a message stays in the queue when its handler throws", async () => {
  const queue = await aQueue();
  let calls = 0;
  feed(queue, () => {
    calls++;
    throw new Error("the handler of this test fails");
  });
  await send(queue, "job");

  await expect.poll(() => calls).toBe(1);

  expect(await countMessages(queue)).toBe(1);
});

test("the source stops at once if idle, otherwise after the current batch", async () => {
  const idle = await aQueue();
  feed(idle, () => true);
  const startedAt = performance.now();
  await source?.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);

  const busy = await aQueue();
  let finished = false;
  let started = false;
  const handler = async () => {
    started = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
    finished = true;
  };
  source = startEventSource({
    ...busy,
    batchSize: 1,
    concurrency: 1,
    visibilityTimeoutSeconds: 30,
    handler,
    queue: emulator,
  });
  await send(busy, "job");
  await expect.poll(() => started).toBe(true);
  await source.stop();
  expect([finished, await countMessages(busy)]).toEqual([true, 0]);
});
