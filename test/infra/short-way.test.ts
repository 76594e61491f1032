import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AwsEmulator, startAwsEmulator } from "../../infra/local/aws/server.ts";
import { sendNearby } from "../../infra/local/short-way.ts";
import { straight } from "../../shared/aws-json.ts";

/** What the one-machine host sends to its own SQS takes no socket; what others send, and what fails, does. */

const credentials = { accessKeyId: "local", secretAccessKey: "a secret of this test" };
const folder = mkdtempSync(join(tmpdir(), "skein-short-way-"));
const start = (name: string) => startAwsEmulator({ dataFolder: join(folder, name), ...credentials });
const clientOf = ({ url }: AwsEmulator, secretAccessKey = credentials.secretAccessKey) =>
  straight(
    new SQSClient({
      ...{ endpoint: url, region: "us-east-1", cacheMiddleware: true, md5: false, maxAttempts: 1 },
      credentials: { ...credentials, secretAccessKey },
    }),
    "sqs",
  );

let [near, far]: AwsEmulator[] = [];
let endSendingNearby = () => {};
beforeAll(async () => {
  [near, far] = await Promise.all([start("near"), start("far")]);
  endSendingNearby = sendNearby(near as AwsEmulator);
});
afterAll(async () => {
  endSendingNearby();
  await Promise.all([near?.close(), far?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Sends with a key that no emulator takes from a socket, and returns what came. */
async function sendUnsigned(emulator: AwsEmulator): Promise<unknown> {
  const client = clientOf(emulator);
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: "any" }));
  const sent = await clientOf(emulator, "wrong").send(new SendMessageCommand({ QueueUrl, MessageBody: "grüezi" }));
  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
  return { sent, Messages };
}

test("a message to this process's own SQS is there without a signature that anybody verifies", async () => {
  const { sent, Messages } = (await sendUnsigned(near as AwsEmulator)) as any;

  expect(Messages).toMatchObject([{ Body: "grüezi", MessageId: sent.MessageId, MD5OfBody: sent.MD5OfMessageBody }]);
});

test("a message to another's is sent over the wire", async () => {
  await expect(sendUnsigned(far as AwsEmulator)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
});

test("what is refused is refused with the SDK's own error", async () => {
  const QueueUrl = `${near?.url}/000000000000/absent`;

  const sending = clientOf(near as AwsEmulator).send(new SendMessageCommand({ QueueUrl, MessageBody: "lost" }));

  await expect(sending).rejects.toMatchObject({ name: "QueueDoesNotExist", $metadata: { httpStatusCode: 400 } });
});
