import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsEmulator, startAwsEmulator } from "../../../infra/local/aws/server.ts";
import { filesContract } from "../contract/files.contract.ts";
import { mailContract } from "../contract/mail.contract.ts";
import { queuesContract } from "../contract/queues.contract.ts";
import { schedulesContract } from "../contract/schedules.contract.ts";
import { secretsContract } from "../contract/secrets.contract.ts";
import { type ContractTarget, clientFor } from "../contract/target.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "a secret of this test" };
let emulator: AwsEmulator;
let dataFolder: string;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), "skein-aws-"));
  emulator = await startAwsEmulator({ dataFolder, ...credentials });
});

afterAll(async () => {
  await emulator?.close();
  await rm(dataFolder, { recursive: true, force: true });
});

const target: ContractTarget = {
  endpoint: () => emulator.url,
  credentials,
  region: "us-east-1",
};

queuesContract(target);
// Attributes like those of wake-up queues, whose messages the emulator keeps in memory.
queuesContract(target, { MessageRetentionPeriod: "60" });
schedulesContract(target);
secretsContract(target);
filesContract(target);
mailContract(target, async () => {
  const folder = join(dataFolder, "mail");
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
});

// Not in the contract, because AWS's services differ in this and MiniStack verifies no signatures.
test("no service accepts unsigned requests, or requests of web pages", async () => {
  const targets = ["AmazonSQS.ListQueues", "secretsmanager.ListSecrets", undefined];
  for (const [path, target] of targets.map((target) => [target ? "/" : "/bucket", target] as const)) {
    const headers = { "content-type": "application/x-amz-json-1.0", ...(target && { "x-amz-target": target }) };
    const post = (extraHeaders: Record<string, string>) =>
      fetch(`${emulator.url}${path}`, { method: "POST", headers: { ...headers, ...extraHeaders }, body: "{}" });

    expect((await post({})).status).toBe(403);
    const page = await post({ origin: "https://page.example" });
    expect(page.status).toBe(403);
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
  }
});

// Not in the contract, because MiniStack answers preflights without any CORS rule.
test("a page of any origin can download and upload files by presigned links", async () => {
  const s3 = new S3Client({ ...clientFor(target), forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: "pages" }));
  const object = { Bucket: "pages", Key: "song.txt" };
  const [put, get] = await Promise.all([
    getSignedUrl(s3, new PutObjectCommand(object)),
    getSignedUrl(s3, new GetObjectCommand(object)),
  ]);
  const origin = "https://page.example";

  const preflight = await fetch(put, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "PUT" },
  });
  await fetch(put, { method: "PUT", headers: { origin }, body: "Where the bee sucks" });
  const download = await fetch(get, { headers: { origin } });

  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect([await download.text(), download.headers.get("access-control-allow-origin")]).toEqual([
    "Where the bee sucks",
    "*",
  ]);
  s3.destroy();
});
