import { describe, expect, test } from "vitest";
import { deleteSentMessages } from "../../../shared/messaging/messages/edit/sender-deletion.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { updateUser } from "../../../shared/store/users/users.ts";
import { deathsAt, withFailure } from "../../support/faults.ts";
import { eventsAfter, logEnd } from "../../support/log.ts";
import { fetchTopic, sendToChannel } from "../../support/messages.ts";
import { fillTopic } from "../../support/table/fill-topic.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, isLocal } from "../../support/world.ts";

/** More than two pages of 50, with what is kept in between. */
async function manyMessages() {
  const [shylock, reader] = [await aPerson("Shylock"), await aPerson("Bassanio")];
  const market = await aChannel("market", [reader]);
  const vault = await aChannel("vault", [reader], { inviteOnly: true });
  const deleted = await fillTopic(shylock, market, "pledges", 70);
  const kept = await fillTopic(shylock, vault, "bonds", 60);
  deleted.push(...(await fillTopic(shylock, market, "caskets", 20)));
  const through = deleted.at(-1) as number;
  const kinds = { public_channels: true, private_channels: false, direct_messages: false };
  const end = await logEnd();
  return {
    ...{ shylock, reader, market, deleted, kept },
    deletion: { user_id: shylock.id, ...kinds, from: 0, through },
    left: async () => [
      ...(await fetchTopic(reader, market, "pledges")),
      ...(await fetchTopic(reader, market, "caskets")),
    ],
    keptIds: async () => (await fetchTopic(reader, vault, "bonds")).map(({ id }) => id),
    received: async () => {
      const events = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === market.id);
      return events.flatMap(({ event }) => event.message_ids as number[]).sort((a, b) => a - b);
    },
  };
}

describe.skipIf(!isLocal())("the deletion of what somebody has sent (the test's own process runs the job)", () => {
  test.each(deathsAt([2, 5, 8, 11, 14, 17]))(
    "that dies at call %i, %s, is completed by its repetition, with one event for each message",
    async (step, when) => {
      const { deletion, deleted, kept, left, keptIds, received } = await manyMessages();

      await withFailure(step, when, () => deleteSentMessages(deletion));
      await deleteSentMessages(deletion);

      expect(await left()).toEqual([]);
      expect(await received()).toEqual(deleted);
      expect(await keptIds()).toEqual(kept);
    },
  );

  test("that runs out of time goes on in another job", async () => {
    const { deletion, left, keptIds, kept } = await manyMessages();

    await deleteSentMessages(deletion, 0);

    await eventually(async () => (await left()).length === 0);
    expect(await keptIds()).toEqual(kept);
  });

  test("what is sent after a reactivation stays, and what was still being sent at the deactivation goes", async () => {
    const { shylock, market, deletion, left } = await manyMessages();
    const later = await sendToChannel(shylock, market, "caskets");

    await deleteSentMessages(deletion);
    expect((await left()).map(({ id }) => id)).toEqual([later]);
    await transact([updateUser(shylock.id, { set: { active: false } })]);
    await deleteSentMessages({ ...deletion, from: deletion.through + 1 });

    expect(await left()).toEqual([]);
  });
});
