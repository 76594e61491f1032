import { expect, test } from "vitest";
import { sendDirect } from "../support/messages.ts";
import { aChangingName, type ChangingName } from "../support/outside/names.ts";
import { aReceiver, aReceiverOf, type Receiver } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Host names whose addresses change between two lookups. */

/** The fleet's operator has allowed 127.0.0.1 and no other local address. */
const [allowed, forbidden, metadata] = ["127.0.0.1", "127.0.0.2", "169.254.169.254"];

/** Creates a user and a bot whose service has its own host name, with a server at either of two addresses. */
async function aCase(...answers: string[][]) {
  const [viola, orsino] = [await aPerson("Viola"), await aPerson("Orsino")];
  const name = await aChangingName(...answers);
  const service = await aReceiverOf({ content: "called" });
  const port = Number(new URL(service.url).port);
  const bot = await aWebhookBot("Sebastian", orsino, `http://${name.name}:${port}/`);
  return { viola, orsino, name, service, port, bot, inside: await forbiddenServer(port) };
}

/** A server at the forbidden address, which must receive no request. A machine with a single loopback address cannot run it. */
const forbiddenServer = (port: number): Promise<Receiver> =>
  aReceiver((_, response) => response.end('{"content":"from inside"}'), { host: forbidden, port }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRNOTAVAIL") throw error;
      return { url: "", requests: [] };
    },
  );

/** Waits until a bot has sent `count` messages to a user; returns their contents, oldest first. */
const receivedBy = (reader: Person, bot: Person, count: number): Promise<string[]> =>
  eventually(async () => {
    const range = { anchor: "newest", num_before: 20, num_after: 0, apply_markdown: false };
    const { messages } = (await reader.call("GET", "/messages", range)).body;
    const own = messages.filter(({ sender_id }: { sender_id: number }) => sender_id === bot.id);
    return own.length >= count && own.map(({ content }: { content: string }) => content);
  });
const refusal = ({ name }: ChangingName) => `Requests to ${name} are not allowed`;

test("a name that resolves to a private address from its second lookup on is refused, and the owner is notified", async () => {
  const { viola, orsino, name, service, port, bot, inside } = await aCase([allowed], [forbidden]);

  await sendDirect(viola, [bot], "Who?");
  // The checked address is used for the connection, so there is no second lookup.
  expect(await receivedBy(viola, bot, 1)).toEqual(["called"]);
  expect(name.lookupCount()).toBe(1);
  await sendDirect(viola, [bot], "Who else?");

  expect(await receivedBy(viola, bot, 2)).toEqual(["called", `Failure! ${refusal(name)}`]);
  const [notice] = await receivedBy(orsino, bot, 1);
  expect(notice).toContain(`to your bot @_**Sebastian|${bot.id}** triggered an outgoing webhook.`);
  expect(notice).toContain(refusal(name));
  expect(name.lookupCount()).toBe(2);
  expect(service.requests.map(({ headers }) => headers.host)).toEqual([`${name.name}:${port}`]);
  expect(inside.requests).toEqual([]);
});

test.each([
  ["inside", [[forbidden], [allowed]]],
  ["to a cloud's metadata service", [[metadata], [allowed]]],
  ["inside and elsewhere at once", [[allowed, forbidden], [allowed]]],
])(
  "a name that resolves %s at the first lookup is refused for good, whatever it resolves to later",
  async (_, answers) => {
    const { viola, orsino, name, service, bot, inside } = await aCase(...answers);

    await sendDirect(viola, [bot], "Who?");

    expect(await receivedBy(viola, bot, 1)).toEqual([`Failure! ${refusal(name)}`]);
    expect((await receivedBy(orsino, bot, 1))[0]).toContain(refusal(name));
    expect(name.lookupCount()).toBe(1);
    expect([...service.requests, ...inside.requests]).toEqual([]);
  },
);
