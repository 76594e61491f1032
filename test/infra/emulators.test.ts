import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsEmulator, startAwsEmulator } from "../../infra/local/aws/server.ts";
import { filesContract } from "./contract/files.contract.ts";
import { mailContract } from "./contract/mail.contract.ts";
import { queuesContract } from "./contract/queues.contract.ts";
import { schedulesContract } from "./contract/schedules.contract.ts";
import { secretsContract } from "./contract/secrets.contract.ts";
import { type ContractTarget, clientFor } from "./contract/target.ts";

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
// As bells are, whose messages the emulator keeps in another way.
queuesContract(target, { MessageRetentionPeriod: "60" });
schedulesContract(target);
secretsContract(target);
filesContract(target);
mailContract(target, async () => {
  const folder = join(dataFolder, "mail");
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
});

// Not in the contract: MiniStack has no StartMessageMoveTask.
test("moves the messages of a dead-letter queue back to where they came from", async () => {
  const sqs = new SQSClient(clientFor(target));
  const create = (QueueName: string, Attributes = {}) => sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const { QueueUrl: dead } = await create("moved-dead");
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ["QueueArn"] }),
  );
  const SourceArn = Attributes!.QueueArn;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: SourceArn, maxReceiveCount: 1 });
  const { QueueUrl } = await create("moved", { VisibilityTimeout: "0", RedrivePolicy });
  const receive = async () =>
    (await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.map(({ Body }) => Body);
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "poison" }));
  expect([await receive(), await receive()]).toEqual([["poison"], undefined]);

  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));

  expect(await receive()).toEqual(["poison"]);
  sqs.destroy();
});
