import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServices, startServices } from "../../../infra/local/aws/services.ts";
import { filesContract } from "../contract/files.contract.ts";
import { mailContract } from "../contract/mail.contract.ts";
import { queuesContract } from "../contract/queues.contract.ts";
import { schedulesContract } from "../contract/schedules.contract.ts";
import { answeredBy, type ContractTarget, clientFor, linkTo } from "../contract/target.ts";

let services: LocalServices;
let dataFolder: string;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-aws-"));
  services = await startServices({ dataFolder });
});

afterAll(async () => {
  await services?.close();
  await rm(dataFolder, { recursive: true, force: true });
});

const target: ContractTarget = {
  endpoint: () => services.filesUrl,
  services: () => services.answer,
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
  region: "us-east-1",
};

queuesContract(target);
schedulesContract(target);
filesContract(target);
mailContract(target, async () => {
  const folder = join(dataFolder, "mail");
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
});

const call = async (client: string, command: string, input: Record<string, unknown>) =>
  (await services.answer({ client, command, input }))?.output;

test("a receiver that has disconnected gets no message", async () => {
  const queue = await call("SQSClient", "CreateQueueCommand", { QueueName: "left" });
  const QueueUrl = queue?.QueueUrl;
  const receiver = new AbortController();
  const left = services.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 }, receiver.signal);
  const stays = services.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 }, new AbortController().signal);
  receiver.abort();
  await call("SQSClient", "SendMessageCommand", { QueueUrl, MessageBody: "for another" });

  expect(await left).toEqual({});
  expect((await stays).Messages).toMatchObject([{ Body: "for another" }]);
});

test("the secret is the same after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "skein-aws-"));
  const secrets = [];
  for (let start = 0; start < 2; start++) {
    const started = await startServices({ dataFolder: folder });
    const secret = { client: "SecretsManagerClient", command: "GetSecretValueCommand", input: { SecretId: "skein" } };
    secrets.push((await started.answer(secret))?.output.SecretString);
    await started.close();
  }
  await rm(folder, { recursive: true });

  expect(secrets[0]).toMatch(/^[\w+/]{43}=$/);
  expect(secrets[1]).toBe(secrets[0]);
});

// Not in the contract, because MiniStack answers preflights without any CORS rule.
test("a page of any origin can download and upload files by links", async () => {
  const s3 = answeredBy(target, new S3Client({ ...clientFor(target), forcePathStyle: true }));
  await s3.send(new CreateBucketCommand({ Bucket: "pages" }));
  const object = { Bucket: "pages", Key: "song.txt" };
  const put = await linkTo(target, s3, new PutObjectCommand({ ...object, ContentLength: 19, IfNoneMatch: "*" }), 60);
  const get = await linkTo(target, s3, new GetObjectCommand(object), 60);
  const origin = "https://page.example";
  const headers = { origin, "if-none-match": "*" };

  const preflight = await fetch(put, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "PUT" },
  });
  await fetch(put, { method: "PUT", headers, body: "Where the bee sucks" });
  const download = await fetch(get, { headers: { origin } });
  const etag = download.headers.get("etag") ?? "";

  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect([await download.text(), download.headers.get("access-control-allow-origin")]).toEqual([
    "Where the bee sucks",
    "*",
  ]);
  expect((await fetch(get, { headers: { "if-none-match": etag } })).status).toBe(304);
  s3.destroy();
});
