import { expect, test } from "vitest";
import { fetchTopic, sendDirect, sendToChannel } from "../support/messages.ts";
import { aSubscribedBrowser, waitForShown } from "../support/outside/push-service.ts";
import { aReceiver, type Receiver } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, isLocal } from "../support/world.ts";

/**
 * The first retry. Later ones differ only in the declared delays, of which the queues' contract shows that they are kept; the last
 * attempt is in outgoing-webhooks.test.ts.
 */

async function mentionBot(service: Receiver) {
  const [titania, oberon] = [await aPerson("Titania"), await aPerson("Oberon")];
  const bot = await aWebhookBot("Moth", oberon, service.url);
  const bower = await aChannel("bower", [titania]);
  await sendToChannel(titania, bower, "night", `@**Moth|${bot.id}** ready?`);
  const contentOf = (index: number) =>
    eventually(async () => (await fetchTopic(titania, bower, "night"))[index]?.content as string | undefined);
  return { contentOf };
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

// The emulator of AWS does not run as many invocations at once as Lambda.
const localTest = isLocal() ? test.concurrent : test.concurrent.skip;

localTest(
  "services that do not answer do not keep notifications waiting, which share their queue",
  async () => {
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
  },
  60_000,
);
