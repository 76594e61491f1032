import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { awsServicesAt } from "../../support/hosts/aws-calls.ts";
import { at } from "../contract/schedules.contract.ts";

let dataFolder: string;
let child: ChildProcess;
let url: string;

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-survival-"));
  await start();
});

afterEach(async () => {
  await kill();
  await rm(dataFolder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const program = join(import.meta.dirname, "run-services.ts");
  const args = ["--disable-warning=ExperimentalWarning", program, dataFolder];
  child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(child.stdout!, "data");
  url = String(line).trim();
}

async function kill(): Promise<void> {
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

const sqs = async (command: string, input: Record<string, unknown>) =>
  (await awsServicesAt(url)({ client: "SQSClient", command: `${command}Command`, input })).output;
const scheduler = async (command: string, input: Record<string, unknown>) =>
  (await awsServicesAt(url)({ client: "SchedulerClient", command: `${command}Command`, input })).output;
const s3 = async (command: string, input: Record<string, unknown>, linkSeconds?: number) => {
  const call = { client: "S3Client", command: `${command}Command`, input, ...(linkSeconds && { linkSeconds }) };
  return (await awsServicesAt(url)(call)).output;
};

async function aQueue() {
  const { QueueUrl } = await sqs("CreateQueue", { QueueName: "jobs", Attributes: { VisibilityTimeout: "1" } });
  return { QueueUrl: QueueUrl as string, Arn: "arn:aws:sqs:us-east-1:000000000000:jobs" };
}

const receive = async (QueueUrl: string, WaitTimeSeconds = 0): Promise<string[]> => {
  const { Messages = [] } = await sqs("ReceiveMessage", { QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 });
  return Messages.map(({ Body }: { Body: string }) => Body);
};

const id = { Name: "once", GroupName: "group" };
async function schedule(Arn: string, ms: number): Promise<void> {
  await scheduler("CreateScheduleGroup", { Name: id.GroupName });
  await scheduler("CreateSchedule", {
    ...id,
    ScheduleExpression: at(ms),
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
    Target: { Arn, RoleArn: "arn:aws:iam::000000000000:role/scheduler", Input: "fired" },
  });
}

const findSchedule = () => scheduler("GetSchedule", id).catch((error) => error.name);

test("a kill loses no message, neither a waiting nor a received one", async () => {
  const { QueueUrl } = await aQueue();
  await sqs("SendMessage", { QueueUrl, MessageBody: "in hands" });
  expect(await receive(QueueUrl)).toEqual(["in hands"]);
  await sqs("SendMessage", { QueueUrl, MessageBody: "waiting" });

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
  const Bucket = "files";
  await s3("CreateBucket", { Bucket });
  await s3("PutObject", { Bucket, Key: "kept", Body: "content" });
  const { link } = await s3("PutObject", { Bucket, Key: "broken", ContentLength: 1e9 }, 60);
  const upload = request(link, { method: "PUT", headers: { "content-length": 1e9, "if-none-match": "*" } });
  const interrupted = once(upload, "error");
  upload.write(Buffer.alloc(100_000));
  await expect.poll(() => readdir(join(dataFolder, "files"))).toHaveLength(2);

  await restart();
  await interrupted;

  const { Body } = await s3("GetObject", { Bucket, Key: "kept" });
  expect(Buffer.from(await Body.transformToByteArray()).toString()).toBe("content");
  expect(await readdir(join(dataFolder, "files"))).toHaveLength(1);
});
