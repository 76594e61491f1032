import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateScheduleCommand, GetScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at } from "../contract/schedules.contract.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "a secret of this test" };
let dataFolder: string;
let child: ChildProcess;
let clients: { sqs: SQSClient; scheduler: SchedulerClient; s3: S3Client };

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-survival-"));
  await start();
});

afterEach(async () => {
  await kill();
  await rm(dataFolder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const program = join(import.meta.dirname, "run-emulator.ts");
  const args = ["--disable-warning=ExperimentalWarning", program, dataFolder, ...Object.values(credentials)];
  child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout!, "data");
  const config = { endpoint: String(line).trim(), credentials, region: "us-east-1", maxAttempts: 1 };
  clients = {
    sqs: new SQSClient(config),
    scheduler: new SchedulerClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
  };
}

async function kill(): Promise<void> {
  for (const client of Object.values(clients)) client.destroy();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function restart(downMs = 0): Promise<void> {
  await kill();
  await sleep(downMs);
  await start();
}

async function aQueue() {
  const { QueueUrl } = await clients.sqs.send(
    new CreateQueueCommand({ QueueName: "jobs", Attributes: { VisibilityTimeout: "1" } }),
  );
  return { QueueUrl: QueueUrl!, Arn: "arn:aws:sqs:us-east-1:000000000000:jobs" };
}

const receive = async (QueueUrl: string, WaitTimeSeconds = 0) => {
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 });
  return ((await clients.sqs.send(command)).Messages ?? []).map(({ Body }) => Body);
};

const schedule = (Arn: string, ms: number) =>
  clients.scheduler.send(
    new CreateScheduleCommand({
      Name: "once",
      ScheduleExpression: at(ms),
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: { Arn, RoleArn: "arn:aws:iam::000000000000:role/scheduler", Input: "fired" },
    }),
  );

const findSchedule = () =>
  clients.scheduler.send(new GetScheduleCommand({ Name: "once" })).catch((error) => error.name);

test("a kill loses no message, neither a waiting nor a received one", async () => {
  const { QueueUrl } = await aQueue();
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "in hands" }));
  expect(await receive(QueueUrl)).toEqual(["in hands"]);
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "waiting" }));

  await restart(1000);

  expect((await receive(QueueUrl, 20)).sort()).toEqual(["in hands", "waiting"]);
});

test("a schedule that is pending when the host is killed fires at its time, once", async () => {
  const { QueueUrl, Arn } = await aQueue();
  const dueAt = Math.ceil((Date.now() + 1500) / 1000) * 1000;
  await schedule(Arn, dueAt);

  await restart();

  expect(await receive(QueueUrl, 20)).toEqual(["fired"]);
  expect(Date.now() - dueAt).toBeGreaterThanOrEqual(0);
  expect(await findSchedule()).toBe("ResourceNotFoundException");
});

test("a schedule whose time came while the host was down fires at start, once", async () => {
  const { QueueUrl, Arn } = await aQueue();
  const dueAt = Math.ceil((Date.now() + 300) / 1000) * 1000;
  await schedule(Arn, dueAt);

  await restart(dueAt - Date.now() + 50);

  expect(await receive(QueueUrl, 20)).toEqual(["fired"]);
  expect(await findSchedule()).toBe("ResourceNotFoundException");
  await restart();
  await sleep(200);
  expect((await receive(QueueUrl, 20)).length).toBe(1);
});

test("a kill loses no file, and remains of an interrupted upload are removed", async () => {
  const { s3 } = clients;
  await s3.send(new CreateBucketCommand({ Bucket: "files" }));
  await s3.send(new PutObjectCommand({ Bucket: "files", Key: "kept", Body: "content" }));
  const endless = Readable.from(
    (async function* () {
      for (;;) {
        await sleep(5);
        yield Buffer.alloc(100_000);
      }
    })(),
  );
  const interruptedUpload = s3
    .send(new PutObjectCommand({ Bucket: "files", Key: "broken", Body: endless, ContentLength: 1e9 }))
    .catch(() => {});
  await expect.poll(() => readdir(join(dataFolder, "files"))).toHaveLength(2);

  await restart();
  await interruptedUpload;

  const { Body } = await clients.s3.send(new GetObjectCommand({ Bucket: "files", Key: "kept" }));
  expect(await Body!.transformToString()).toBe("content");
  expect(await readdir(join(dataFolder, "files"))).toHaveLength(1);
});
