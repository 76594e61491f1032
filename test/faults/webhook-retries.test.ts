import { expect, test } from "vitest";
import { aWebhookBot } from "../support/bots.ts";
import { inTopic, say } from "../support/messages.ts";
import { aReceiver, type Receiver } from "../support/receiver.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** Waits are what SQS's visibility makes of a worker's declaration: side by side they take a quarter of a minute. */

async function callAt(service: Receiver) {
  const [titania, oberon] = [await aPerson("Titania"), await aPerson("Oberon")];
  const bot = await aWebhookBot("Moth", oberon, service.url);
  const bower = await aChannel("bower", [titania]);
  await say(titania, bower, "night", `@**Moth|${bot.id}** ready?`);
  const nth = (index: number, seconds = 60) =>
    eventually(async () => (await inTopic(titania, bower, "night"))[index]?.content as string | undefined, seconds);
  return { nth };
}

test.concurrent("a service that fails to answer is asked again within ten seconds, with the same idempotency key", async () => {
  const service = await aReceiver((_, response, count) =>
    count === 1 ? response.socket?.destroy() : response.end('{"content":"ready now"}'),
  );
  const startedAt = Date.now();

  const { nth } = await callAt(service);

  expect(await nth(1)).toBe("ready now");
  expect(Date.now() - startedAt).toBeLessThan(12_000);
  expect(service.requests).toHaveLength(2);
  expect(service.requests[0]?.headers["idempotency-key"]).toBe(service.requests[1]?.headers["idempotency-key"]);
}, 60_000);

test.concurrent("a service that takes too long is given up on after ten seconds, and asked again", async () => {
  const service = await aReceiver((_, response, count) => {
    if (count > 1) response.end('{"content":"at last"}');
  });

  const { nth } = await callAt(service);

  expect(await nth(1, 50)).toBe("at last");
  expect(service.requests).toHaveLength(2);
}, 90_000);
