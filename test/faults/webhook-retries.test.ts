import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { enqueueBody, queueUrlVariable } from "../../shared/jobs/queues.ts";
import { fetchTopic, sendDirect, sendToChannel } from "../support/messages.ts";
import { aSubscribedBrowser, waitForShown } from "../support/outside/push-service.ts";
import { aReceiver, type Receiver } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * The delays between attempts follow from the worker's declaration and SQS's visibility timeout. In parallel these cases
 * take less than three minutes, and twenty seconds on the local host.
 */

async function mentionBot(service: Receiver) {
  const [titania, oberon] = [await aPerson("Titania"), await aPerson("Oberon")];
  const bot = await aWebhookBot("Moth", oberon, service.url);
  const bower = await aChannel("bower", [titania]);
  const id = await sendToChannel(titania, bower, "night", `@**Moth|${bot.id}** ready?`);
  const contentOf = (index: number, seconds = 60) =>
    eventually(async () => (await fetchTopic(titania, bower, "night"))[index]?.content as string | undefined, seconds);
  return { id, oberon, bot, contentOf };
}

test.concurrent("a failed request to a service is retried without waiting for the visibility timeout, with the same idempotency key", async () => {
  const service = await aReceiver((_, response, count) =>
    count === 1 ? response.socket?.destroy() : response.end('{"content":"ready now"}'),
  );
  const startedAt = Date.now();

  const { contentOf } = await mentionBot(service);

  expect(await contentOf(1)).toBe("ready now");
  // The visibility timeout is six minutes.
  expect(Date.now() - startedAt).toBeLessThan(60_000);
  expect(service.requests).toHaveLength(2);
  expect(service.requests[0]?.headers["idempotency-key"]).toBe(service.requests[1]?.headers["idempotency-key"]);
}, 90_000);

test.concurrent("a request to a service times out after ten seconds, and is retried", async () => {
  const service = await aReceiver((_, response, count) => {
    if (count > 1) response.end('{"content":"at last"}');
  });

  const { contentOf } = await mentionBot(service);

  expect(await contentOf(1)).toBe("at last");
  expect(service.requests).toHaveLength(2);
}, 90_000);

test.concurrent("services that do not answer do not keep notifications waiting, which share their queue", async () => {
  const [titania, oberon] = [await aPerson("Titania"), await aPerson("Oberon")];
  const browser = await aSubscribedBrowser(oberon);
  const service = await aReceiver(() => {});
  const bots = await Promise.all(["Moth", "Cobweb"].map((name) => aWebhookBot(name, titania, service.url)));
  for (const bot of [...bots, ...bots, ...bots]) await sendDirect(titania, [bot], "ready?");
  await eventually(async () => service.requests.length >= 6);

  await sendDirect(titania, [oberon], "Come, sit thee down");

  await waitForShown(browser);
  // Their second attempts follow after fifteen seconds.
  expect(service.requests).toHaveLength(6);
}, 60_000);

const directMessages = async (owner: Person) => {
  const range = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
  const { messages } = (await owner.call("GET", "/messages", range)).body;
  return messages.map(({ content }: { content: string }) => content) as string[];
};

/**
 * The delays of 30 and 120 seconds are tested only with MiniStack. The queues' contract shows that our own emulator delays
 * and dead-letters messages in the same way, and outgoing-webhooks.test.ts covers the last attempt.
 */
const deployedTest = isLocal() ? test.concurrent.skip : test.concurrent;

deployedTest(
  "an unavailable service is called four times, its owner is notified, and the job is dead-lettered (deployed only)",
  async () => {
    let isUp = false;
    const service = await aReceiver((_, response) =>
      isUp ? response.end('{"content":"back again"}') : response.socket?.destroy(),
    );
    const { id, oberon, bot, contentOf } = await mentionBot(service);

    expect(await contentOf(1, 240)).toBe("Failure! Bot is unavailable");
    expect(service.requests).toHaveLength(4);
    const notices = await eventually(async () => {
      const contents = await directMessages(oberon);
      return contents.length > 0 && contents;
    });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(`to your bot @_**Moth|${bot.id}** triggered an outgoing webhook.`);
    expect(notices[0]).toContain("Bot is unavailable");

    const deadLetter = await eventually(() => findDeadLetter(id), 240);
    expect(JSON.parse(deadLetter)).toEqual({
      kind: "deliver-webhook",
      job: { message_id: id, bot_id: bot.id, trigger: "mention" },
    });
    isUp = true;
    await enqueueBody("outgoing", deadLetter);

    expect(await contentOf(2)).toBe("back again");
    expect(await directMessages(oberon)).toHaveLength(1);
  },
  500_000,
);

/** The body of a message's dead letter. */
async function findDeadLetter(messageId: number): Promise<string | undefined> {
  const sqs = new SQSClient({});
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: process.env[queueUrlVariable("outgoing")],
      AttributeNames: ["RedrivePolicy"],
    }),
  );
  const arn: string = JSON.parse(Attributes?.RedrivePolicy ?? "").deadLetterTargetArn;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: arn.split(":").at(-1) }));
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 1 }),
  );
  return Messages.map(({ Body = "" }) => Body).find((body) => body.includes(`"message_id":${messageId},`));
}
