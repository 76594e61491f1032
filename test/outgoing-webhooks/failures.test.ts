import { describe, expect, test } from "vitest";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { aReceiver, type Receiver } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Mentions a bot whose service is at `url`; `contentAt` waits for the topic's message at an index and returns its content. */
async function mentionBotAt(url: string) {
  const [titania, oberon] = [await aPerson("Titania"), await aPerson("Oberon")];
  const bot = await aWebhookBot("Moth", oberon, url);
  const bower = await aChannel("bower", [titania]);
  await sendToChannel(titania, bower, "night", `@**Moth|${bot.id}** ready?`);
  const contentAt = (index: number, seconds = 60) =>
    eventually(async () => (await fetchTopic(titania, bower, "night"))[index]?.content as string | undefined, seconds);
  return { titania, oberon, bot, bower, contentAt };
}

const newestMessageTo = (owner: Person) =>
  eventually(async () => {
    const range = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
    return (await owner.call("GET", "/messages", range)).body.messages[0] as
      | { content: string; sender_id: number }
      | undefined;
  });

const aServiceReplying = (
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Receiver> => aReceiver((_, response) => response.writeHead(status, headers).end(body));

describe("a reply sends no message", () => {
  test.concurrent.each([
    ["if it says that no response is required", '{"response_not_required":true,"content":"not this"}'],
    ["if it is an empty object", "{}"],
    ["if its content is blank", '{"content":"  "}'],
    ["if it is an empty string", '""'],
    ["if it has no body", ""],
    ["if it only says that all is well", " OK\n"],
    ["if it is null", "null"],
    ["if it is true", "true"],
    ["if it is an empty list", "[]"],
  ])("%s", async (_, body) => {
    const { titania, bower, bot } = await mentionBotAt((await aServiceReplying(200, body)).url);
    const other = await aWebhookBot("Cobweb", titania, (await aServiceReplying(200, '{"content":"last"}')).url);

    await sendToChannel(titania, bower, "night", `@**Cobweb|${other.id}**`);

    await eventually(async () => (await fetchTopic(titania, bower, "night")).length > 2);
    await new Promise((done) => setTimeout(done, 300));
    const senders = (await fetchTopic(titania, bower, "night")).map(({ sender_id }) => sender_id);
    expect(senders).toEqual([titania.id, titania.id, other.id]);
    expect(senders).not.toContain(bot.id);
  });
});

test.concurrent.each([
  ["a short text", "Accepted", "Invalid JSON in response"],
  ["a short text in JSON", '"Accepted"', "Invalid response format"],
  ["a number", "5", "Invalid response format"],
])("%s in place of a reply is reported to the bot's owner alone", async (_, body, reason) => {
  const { titania, oberon, bot, bower } = await mentionBotAt((await aServiceReplying(202, body)).url);

  const notice = await newestMessageTo(oberon);

  expect(notice.sender_id).toBe(bot.id);
  expect(notice.content).toContain(reason);
  expect(notice.content).toContain(body);
  // The notice and the conversation's message would be one transaction.
  expect((await fetchTopic(titania, bower, "night")).map(({ sender_id }) => sender_id)).toEqual([titania.id]);
});

test.concurrent("a reply is read in the character set that it declares", async () => {
  const body = Buffer.from('{"content":"Ça va, Gaël?"}', "latin1");
  const service = await aServiceReplying(200, body, { "content-type": "application/json; charset=ISO-8859-1" });
  const { contentAt } = await mentionBotAt(service.url);

  expect(await contentAt(1)).toBe("Ça va, Gaël?");
});

describe("a failure is reported in the conversation and to the bot's owner, and not retried", () => {
  test.concurrent.each([
    ["invalid JSON", 200, "<html>", "Invalid JSON in response"],
    ["a list", 200, '["Hi"]', "Invalid response format"],
    ["a long text", 200, "word ".repeat(30), "Invalid JSON in response"],
    ["an error", 500, "``` oops", "Third party responded with 500"],
    ["a missing page", 404, "", "Third party responded with 404"],
    ["a redirect", 302, "", "Third party responded with 302"],
    [
      "a reply that is too long",
      200,
      JSON.stringify({ content: "x".repeat(300_000) }),
      "The answer is longer than 262144 bytes",
    ],
  ])("%s", async (_, status, body, reason) => {
    // Requests to the redirect's target are allowed, so only the refusal to follow redirects prevents them.
    const elsewhere = await aServiceReplying(200, '{"content":"from elsewhere"}');
    const service = await aServiceReplying(status, body, status === 302 ? { location: elsewhere.url } : {});
    const { oberon, bot, contentAt } = await mentionBotAt(service.url);

    expect(await contentAt(1)).toBe(`Failure! ${reason}`);
    const notice = await newestMessageTo(oberon);
    expect(notice.sender_id).toBe(bot.id);
    expect(notice.content).toContain(`to your bot @_**Moth|${bot.id}** triggered an outgoing webhook.`);
    expect(notice.content).toContain(reason);
    if (body.length < 100) expect(notice.content).toContain(body);
    expect(service.requests).toHaveLength(1);
    expect(elsewhere.requests).toEqual([]);
  });

  test.concurrent("an address that is not public", async () => {
    const { contentAt, oberon } = await mentionBotAt("http://169.254.169.254/latest/meta-data/");

    expect(await contentAt(1)).toBe("Failure! Requests to 169.254.169.254 are not allowed");
    expect((await newestMessageTo(oberon)).content).toContain("not allowed");
  });

  test.concurrent("an IPv6 address that is not public", async () => {
    const { contentAt } = await mentionBotAt("http://[::ffff:10.0.0.1]/");

    expect(await contentAt(1)).toBe("Failure! Requests to ::ffff:a00:1 are not allowed");
  });
});
