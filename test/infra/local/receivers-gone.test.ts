import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServices } from "../../../infra/local/aws/services.ts";

type Call = (command: string, input: Record<string, unknown>) => Promise<Record<string, any> | undefined>;

test("a job being processed when the host was killed is delivered again at the next start, a delayed one at its time", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "skein-receivers-"));
  const withServices = async (work: (call: Call) => Promise<void>) => {
    const services = await startServices({ dataFolder, receiversAreGone: true });
    const call: Call = async (command, input) =>
      (await services.answer({ client: "SQSClient", command, input: { QueueUrl: "jobs", ...input } }))?.output;
    await call("CreateQueueCommand", { QueueName: "jobs", Attributes: { VisibilityTimeout: "600" } });
    await work(call);
    await services.close();
  };

  await withServices(async (call) => {
    await call("SendMessageCommand", { MessageBody: "taken" });
    await call("ReceiveMessageCommand", { WaitTimeSeconds: 1 });
    await call("SendMessageCommand", { MessageBody: "delayed", DelaySeconds: 600 });
  });

  await withServices(async (call) => {
    const received = await call("ReceiveMessageCommand", { MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
    expect(received?.Messages.map(({ Body }: { Body: string }) => Body)).toEqual(["taken"]);
  });
  await rm(dataFolder, { recursive: true });
});
