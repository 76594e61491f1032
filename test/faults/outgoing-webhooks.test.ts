import { describe, expect, test } from "vitest";
import { renderText } from "../../shared/messaging/messages/render/render.ts";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { accessDestination } from "../../shared/messaging/messages/send/destination.ts";
import { callService } from "../../shared/messaging/outgoing-webhooks/deliver.ts";
import { webhookJobs } from "../../shared/messaging/outgoing-webhooks/triggers/triggers.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import { sweepOutbox } from "../../shared/services/jobs/outbox.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { outgoingSettings } from "../support/hosts/outgoing.ts";
import { sendDirect } from "../support/messages.ts";
import { aReceiver, aReceiverOf } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { ageOutbox } from "../support/table/outbox.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, costTest, type Person } from "../support/world.ts";

Object.assign(process.env, outgoingSettings);

async function contentsFrom(reader: Person, sender: Person): Promise<string[]> {
  const range = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const messages: { content: string; sender_id: number }[] = (await reader.call("GET", "/messages", range)).body
    .messages;
  return messages.filter(({ sender_id }) => sender_id === sender.id).map(({ content }) => content);
}

/** Sends a message that triggers a bot; the fleet's own worker calls the service first. */
async function aCall(url: string) {
  const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
  const bot = await aWebhookBot("Fool", kent, url);
  const messageId = await sendDirect(lear, [bot], "Can you make no use of nothing?");
  return { lear, kent, bot, messageId, job: { messageId, botId: bot.id, trigger: "direct_message" as const } };
}

describe("a function that dies at any call (the test's own process runs the function)", () => {
  test.concurrent.each(deathsAt(14))(
    "while posting a reply, at call %i, %s: the retry posts it, once, and the service can recognize the retry",
    async (step, when) => {
      const service = await aReceiver((_, response, count) =>
        // The fleet's own worker calls the service too; with this response it posts nothing.
        response.end(JSON.stringify(count === 1 ? { response_not_required: true } : { content: "Nothing" })),
      );
      const { lear, bot, messageId, job } = await aCall(service.url);
      await eventually(async () => service.requests.length > 0);

      await withFailure(step, when, () => callService(job, { isLast: false }));
      await callService(job, { isLast: false });
      await callService(job, { isLast: false });

      expect(await contentsFrom(lear, bot)).toEqual(["Nothing"]);
      // The service receives the request at least once: twice if the first response was lost with the worker.
      expect([2, 3]).toContain(service.requests.length);
      const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
      expect(new Set(keys)).toEqual(new Set([`${messageId}-${bot.id}`]));
    },
  );

  test.concurrent.each(deathsAt(4))(
    "while sending, at call %i, %s: there is no message, or one whose job will run",
    async (step, when) => {
      const service = await aReceiverOf({ content: "Heard" });
      const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
      const fool = await aWebhookBot("Fool", kent, service.url);
      const account = await findAccount(lear.email);
      if (!account) throw new Error("Lear has no account");
      const [author, realm] = [toCaller(account), await loadRealm()];
      const destination = await accessDestination(author, { kind: "direct", to: [fool.id] }, realm);
      const rendered = await renderText("Fool!", realm, author);
      const followUps = await webhookJobs(author, destination, rendered, realm);
      const message = {
        senderId: lear.id,
        destination,
        content: "Fool!",
        rendered,
        client: "test",
        readBySender: true,
      };

      const { reached } = await withFailure(step, when, () => sendMessage({ ...message, followUps }));
      await ageOutbox(({ body }) => body.includes(`"bot_id":${fool.id},`));
      await sweepOutbox();

      expect(reached).toBe(true);
      if ((await contentsFrom(lear, lear)).length > 0)
        expect(await eventually(async () => (await contentsFrom(lear, fool))[0])).toBe("Heard");
      else expect(service.requests).toHaveLength(0);
    },
  );
});

describe("a service that stays unavailable (the retries would take minutes over the queue)", () => {
  test("is reported once, in the conversation and to the owner, and a redriven job succeeds", async () => {
    let isUp = false;
    const service = await aReceiver((_, response, count) => {
      if (count === 1) return response.end('{"response_not_required":true}');
      return isUp ? response.end('{"content":"Back"}') : response.socket?.destroy();
    });
    const { lear, kent, bot, job } = await aCall(service.url);
    await eventually(async () => service.requests.length > 0);

    await expect(callService(job, { isLast: false })).rejects.toMatchObject({ problem: "unreachable" });
    expect(await contentsFrom(lear, bot)).toEqual([]);
    await expect(callService(job, { isLast: true })).rejects.toMatchObject({ problem: "unreachable" });
    await expect(callService(job, { isLast: true })).rejects.toMatchObject({ problem: "unreachable" });

    expect(await contentsFrom(lear, bot)).toEqual(["Failure! Bot is unavailable"]);
    const notices = await contentsFrom(kent, bot);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain("127.0.0.1 could not be reached");
    isUp = true;
    await callService(job, { isLast: false });
    await callService(job, { isLast: false });
    expect(await contentsFrom(lear, bot)).toEqual(["Failure! Bot is unavailable", "Back"]);
  });

  costTest("a message that calls a bot costs three write units more than another message", async () => {
    const service = await aReceiverOf({});
    const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
    const fool = await aWebhookBot("Fool", kent, service.url);
    const send = (to: Person) =>
      lear.call("POST", "/messages", { type: "direct", to: [to.id], content: "Who is it that can tell me who I am?" });
    await send(fool);
    await send(kent);

    const [botCost, otherCost] = [(await send(fool)).cost, (await send(kent)).cost];

    expect(botCost.writeUnits - otherCost.writeUnits).toBe(3);
    // One of the requests may read two partitions of the log (shared/store/table/log-end.ts).
    expect(Math.abs(botCost.readUnits - otherCost.readUnits)).toBeLessThanOrEqual(1);
  });
});
