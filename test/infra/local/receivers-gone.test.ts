import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { startAwsEmulator } from "../../../infra/local/aws/server.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "secret" };

test("a job being processed when the host was killed is delivered again at the next start, a delayed one at its time", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "skein-receivers-"));
  const withEmulator = async (work: (sqs: SQSClient, QueueUrl: string) => Promise<void>) => {
    const emulator = await startAwsEmulator({ dataFolder, ...credentials, receiversAreGone: true });
    const sqs = new SQSClient({ endpoint: emulator.url, credentials, region: "us-east-1" });
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: "jobs", Attributes: { VisibilityTimeout: "600" } }),
    );
    await work(sqs, QueueUrl as string);
    sqs.destroy();
    await emulator.close();
  };

  await withEmulator(async (sqs, QueueUrl) => {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "taken" }));
    await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "delayed", DelaySeconds: 600 }));
  });

  await withEmulator(async (sqs, QueueUrl) => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    expect(Messages.map(({ Body }) => Body)).toEqual(["taken"]);
  });
  await rm(dataFolder, { recursive: true });
});
