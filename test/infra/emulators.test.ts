import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type AwsEmulator, startAwsEmulator } from "../../infra/local/aws/server.ts";
import { filesContract } from "./contract/files.contract.ts";
import { mailContract } from "./contract/mail.contract.ts";
import { queuesContract } from "./contract/queues.contract.ts";
import { schedulesContract } from "./contract/schedules.contract.ts";
import { secretsContract } from "./contract/secrets.contract.ts";
import type { ContractTarget } from "./contract/target.ts";

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
  scheduleLatenessMs: 200,
};

queuesContract(target);
schedulesContract(target);
secretsContract(target);
filesContract(target);
mailContract(target, async () => {
  const folder = join(dataFolder, "mail");
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
});
