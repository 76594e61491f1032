import { createHash } from "node:crypto";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { answeredBy, type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/** The behaviour of SQS on which the fleet relies. */
export function queuesContract(target: ContractTarget): void {
  describe.concurrent("queues", () => {
    const it = caseFor(target);
    let sqs: SQSClient;
    beforeAll(() => {
      sqs = answeredBy(target, new SQSClient(clientFor(target)));
    });
    afterAll(() => sqs.destroy());

    const create = async (Attributes: Record<string, string> = {}) =>
      (await sqs.send(new CreateQueueCommand({ QueueName: unique("queue"), Attributes }))).QueueUrl!;
    const remove = (QueueUrl: string, ReceiptHandle: string | undefined) =>
      sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "0", ReceiptHandle }] }));
    const send = (QueueUrl: string, MessageBody: string, DelaySeconds?: number) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));
    const receive = async (QueueUrl: string, options: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...options }))).Messages ?? [];
    const attributesOf = async (QueueUrl: string) =>
      (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }))).Attributes!;

    it("delivers a message, and removes it when it is deleted", async () => {
      const QueueUrl = await create();
      const sent = await send(QueueUrl, "grüezi ✓");

      const [message] = await receive(QueueUrl, { MessageSystemAttributeNames: ["All"] });

      expect(message).toMatchObject({
        MessageId: sent.MessageId,
        Body: "grüezi ✓",
        MD5OfBody: createHash("md5").update("grüezi ✓").digest("hex"),
        Attributes: { ApproximateReceiveCount: "1" },
      });
      expect(Number(message!.Attributes!.SentTimestamp)).toBeGreaterThan(1_600_000_000_000);
      await remove(QueueUrl, message!.ReceiptHandle);
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe("0");
    });

    it("creates a queue idempotently", async () => {
      const QueueName = unique("queue");
      const first = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } }));
      const second = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } }));

      expect(second.QueueUrl).toBe(first.QueueUrl);
      expect((await attributesOf(first.QueueUrl!)).VisibilityTimeout).toBe("7");
    });

    it("hides a received message until its visibility timeout is over, and counts the receipts", async () => {
      const QueueUrl = await create({ VisibilityTimeout: "1" });
      await send(QueueUrl, "job");
      expect(await receive(QueueUrl)).toHaveLength(1);
      expect(await receive(QueueUrl)).toHaveLength(0);
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe("1");

      const [redelivered] = await receive(QueueUrl, {
        WaitTimeSeconds: 3,
        MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      });

      expect(redelivered?.Attributes?.ApproximateReceiveCount).toBe("2");
    });

    it("shows a message again at once when its visibility is set to 0", async () => {
      const QueueUrl = await create();
      await send(QueueUrl, "job");
      const [message] = await receive(QueueUrl);

      await sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message!.ReceiptHandle, VisibilityTimeout: 0 }),
      );

      expect(await receive(QueueUrl)).toHaveLength(1);
    });

    it("keeps a delayed message back, and counts it as delayed", async () => {
      const QueueUrl = await create();
      await send(QueueUrl, "later", 5);
      expect(await receive(QueueUrl)).toHaveLength(0);
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesDelayed).toBe("1");

      expect(await receive(QueueUrl, { WaitTimeSeconds: 20 })).toHaveLength(1);
    });

    it("wakes a long poll when a message is sent", async () => {
      const QueueUrl = await create();
      const polling = receive(QueueUrl, { WaitTimeSeconds: 20 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      const sentAt = performance.now();
      await send(QueueUrl, "now");

      expect(await polling).toHaveLength(1);
      expect(performance.now() - sentAt).toBeLessThan(10_000);
    });

    it("ends a long poll after its wait time", async () => {
      expect(await receive(await create(), { WaitTimeSeconds: 1 })).toEqual([]);
    });

    it("moves a message that was received too often to the dead-letter queue", async () => {
      const deadLetterQueueUrl = await create();
      const deadLetterTargetArn = (await attributesOf(deadLetterQueueUrl)).QueueArn;
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 });
      const QueueUrl = await create({ VisibilityTimeout: "0", RedrivePolicy });
      const { MessageId } = await send(QueueUrl, "poison");

      const received = [await receive(QueueUrl), await receive(QueueUrl), await receive(QueueUrl)];

      expect(received.map((messages) => messages.length)).toEqual([1, 1, 0]);
      expect(await receive(deadLetterQueueUrl, { WaitTimeSeconds: 1 })).toMatchObject([{ MessageId, Body: "poison" }]);
    });

    it("sends, receives and deletes ten at a time", async () => {
      const QueueUrl = await create();
      const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: `e${index}`, MessageBody: `job ${index}` }));
      const { Successful } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      expect(Successful?.map(({ Id }) => Id)).toEqual(Entries.map(({ Id }) => Id));
      const messages = await receive(QueueUrl, { MaxNumberOfMessages: 10 });
      expect(messages.map(({ Body }) => Body).sort()).toEqual(Entries.map(({ MessageBody }) => MessageBody));

      const deleted = await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl,
          Entries: messages.map(({ ReceiptHandle }, i) => ({ Id: `${i}`, ReceiptHandle })),
        }),
      );

      expect(deleted.Successful).toHaveLength(10);
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe("0");
    });

    it("refuses eleven entries, and two with the same ID", async () => {
      const QueueUrl = await create();
      const entries = (ids: string[]) =>
        new SendMessageBatchCommand({ QueueUrl, Entries: ids.map((Id) => ({ Id, MessageBody: "x" })) });

      await expect(sqs.send(entries("abcdefghijk".split("")))).rejects.toMatchObject({
        name: "TooManyEntriesInBatchRequest",
      });
      await expect(sqs.send(entries(["a", "a"]))).rejects.toMatchObject({ name: "BatchEntryIdsNotDistinct" });
    });

    it("reports a nonexistent queue", async () => {
      const QueueUrl = await create();
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));

      await expect(send(QueueUrl, "lost")).rejects.toBeInstanceOf(QueueDoesNotExist);
      await expect(attributesOf(QueueUrl)).rejects.toBeInstanceOf(QueueDoesNotExist);
    });
  });
}
