import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type ContractTarget, caseFor, clientFor, unique } from "./target.ts";

/** The behaviour of SQS on which the fleet relies, for queues with these attributes. */
export function queuesContract(target: ContractTarget, commonAttributes: Record<string, string> = {}): void {
  describe.concurrent(`queues ${Object.entries(commonAttributes).join(" ")}`.trim(), () => {
    const it = caseFor(target);
    let sqs: SQSClient;
    beforeAll(() => {
      sqs = new SQSClient(clientFor(target));
    });
    afterAll(() => sqs.destroy());

    const create = async (Attributes: Record<string, string> = {}) =>
      (
        await sqs.send(
          new CreateQueueCommand({ QueueName: unique("queue"), Attributes: { ...commonAttributes, ...Attributes } }),
        )
      ).QueueUrl!;
    const send = (QueueUrl: string, MessageBody: string, DelaySeconds?: number) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));
    const receive = async (QueueUrl: string, options: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...options }))).Messages ?? [];
    const attributesOf = async (QueueUrl: string) =>
      (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }))).Attributes!;

    it("delivers a message with its attributes, and removes it when it is deleted", async () => {
      const QueueUrl = await create();
      const sent = await sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: "grüezi ✓",
          MessageAttributes: {
            kind: { DataType: "String", StringValue: "greeting" },
            raw: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
          },
        }),
      );

      const [message] = await receive(QueueUrl, {
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      });

      expect(message).toMatchObject({
        MessageId: sent.MessageId,
        Body: "grüezi ✓",
        MD5OfBody: sent.MD5OfMessageBody,
        MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
        MessageAttributes: { kind: { DataType: "String", StringValue: "greeting" } },
        Attributes: { ApproximateReceiveCount: "1" },
      });
      expect([...message!.MessageAttributes!.raw!.BinaryValue!]).toEqual([0, 255]);
      expect(Number(message!.Attributes!.SentTimestamp)).toBeGreaterThan(1_600_000_000_000);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message!.ReceiptHandle }));
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe("0");
    });

    it("creates a queue idempotently", async () => {
      const QueueName = unique("queue");
      const first = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } }));
      const second = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } }));
      const found = await sqs.send(new GetQueueUrlCommand({ QueueName }));

      expect(second.QueueUrl).toBe(first.QueueUrl);
      expect(found.QueueUrl).toBe(first.QueueUrl);
      expect((await attributesOf(first.QueueUrl!)).VisibilityTimeout).toBe("7");
    });

    it("refuses to create an existing queue with other attributes", async () => {
      const QueueName = unique("queue");
      await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "7" } }));

      const recreation = sqs.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: "8" } }));

      await expect(recreation).rejects.toMatchObject({ name: "QueueNameExists" });
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

    it("does not deliver a message to a receiver that has disconnected", async () => {
      const QueueUrl = await create();
      const receiver = new AbortController();
      const polling = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
        abortSignal: receiver.signal,
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      receiver.abort();
      await expect(polling).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await send(QueueUrl, "for another");

      expect(await receive(QueueUrl)).toHaveLength(1);
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

    it("changes a queue's attributes", async () => {
      const QueueUrl = await create();
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: "77" } }));

      expect(await attributesOf(QueueUrl)).toMatchObject({ VisibilityTimeout: "77", DelaySeconds: "0" });
    });

    it("reports a nonexistent queue", async () => {
      const QueueUrl = await create();
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));

      await expect(send(QueueUrl, "lost")).rejects.toBeInstanceOf(QueueDoesNotExist);
      await expect(sqs.send(new GetQueueUrlCommand({ QueueName: unique("no") }))).rejects.toBeInstanceOf(
        QueueDoesNotExist,
      );
    });

    it("reports an invalid receipt handle", async () => {
      const QueueUrl = await create();
      const deleting = sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: "nonsense" }));

      await expect(deleting).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
    });

    it("refuses a request that is signed with another key", async () => {
      const forger = new SQSClient({
        ...clientFor(target),
        credentials: { ...target.credentials, secretAccessKey: "wrong" },
      });

      await expect(forger.send(new GetQueueUrlCommand({ QueueName: "any" }))).rejects.toMatchObject({
        $metadata: { httpStatusCode: 403 },
      });
      forger.destroy();
    });
  });
}
