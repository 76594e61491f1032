import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type LocalServices, startServices } from "../../../infra/local/aws/services.ts";
import { type EventSource, startEventSource } from "../../../infra/local/event-source.ts";
import { unique } from "../contract/target.ts";

let services: LocalServices;
let dataFolder: string;
let source: EventSource | undefined;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-events-"));
  services = await startServices({ dataFolder });
});

afterEach(() => source?.stop());

afterAll(async () => {
  await services?.close();
  await rm(dataFolder, { recursive: true, force: true });
});

async function call(command: string, input: Record<string, unknown>): Promise<Record<string, any>> {
  const reply = await services.answer({ client: "SQSClient", command: `${command}Command`, input });
  return reply?.output ?? {};
}

async function aQueue() {
  const QueueName = unique("jobs");
  const { QueueUrl } = await call("CreateQueue", { QueueName });
  return { queueUrl: QueueUrl as string, queueArn: `arn:aws:sqs:us-east-1:000000000000:${QueueName}` };
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
    queue: services,
  });
}

const send = ({ queueUrl: QueueUrl }: Queue, MessageBody: string) => call("SendMessage", { QueueUrl, MessageBody });

const countMessages = async ({ queueUrl: QueueUrl }: Queue) => {
  const { Attributes } = await call("GetQueueAttributes", { QueueUrl });
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
};

test("a handler receives the same record as on Lambda, and the message is deleted afterwards", async () => {
  const queue = await aQueue();
  const records: SQSRecord[] = [];
  feed(queue, (record) => records.push(record) > 0);
  const { MessageId } = await send(queue, "job");

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
      messageAttributes: {},
      md5OfBody: createHash("md5").update("job").digest("hex"),
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
    queue: services,
  });
  await send(busy, "job");
  await expect.poll(() => started).toBe(true);
  await source.stop();
  expect([finished, await countMessages(busy)]).toEqual([true, 0]);
});
