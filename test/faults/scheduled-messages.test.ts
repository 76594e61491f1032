import { describe, expect, test, vi } from "vitest";
import {
  cancelScheduledMessage,
  editScheduledMessage,
  scheduledDeliveries,
  scheduleMessage,
} from "../../shared/messaging/scheduled-messages/actions.ts";
import { deliverMessageIfPending } from "../../shared/messaging/scheduled-messages/delivery.ts";
import { commit } from "../../shared/store/log/log.ts";
import { findScheduledMessage, listScheduledMessages } from "../../shared/store/messages/scheduled-messages.ts";
import { deathsAt, InjectedFault, withFailure } from "../support/faults.ts";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aPerson, isLocal, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 50, num_after: 0, apply_markdown: false };
const contentsOf = async (reader: Person): Promise<string[]> =>
  (await reader.call("GET", "/messages", newest)).body.messages.map(({ content }: { content: string }) => content);

const scheduledMessage = (owner: Person, content: string, deliverAt: number) => ({
  userId: owner.id,
  userIds: [owner.id],
  content,
  html: `<p>${content}</p>`,
  deliverAt,
  readBySender: false,
  client: "test",
});

const deaths = deathsAt(3);

/** Failures that the sweeper handles are logged; here they are expected. */
vi.spyOn(console, "error").mockImplementation(() => {});

describe.skipIf(!isLocal())("a function that dies at any call (the test's own process runs the function)", () => {
  test.concurrent.each(deaths)(
    "while scheduling, at call %i, %s: nothing is written, or the message is delivered once",
    async (step, when) => {
      const macbeth = await aPerson("Macbeth");

      const { error, reached } = await withFailure(step, when, () =>
        scheduleMessage(scheduledMessage(macbeth, "Tomorrow", inSeconds(8))),
      );
      await scheduledDeliveries.sweep();

      // Once the message is stored the request succeeds, even if creating its schedule fails.
      expect([reached, error]).toEqual([true, step === 3 ? undefined : expect.any(InjectedFault)]);
      const count = (await listScheduledMessages(macbeth.id)).length + (await contentsOf(macbeth)).length;
      expect(count).toBe(step === 1 || (step === 2 && when === "before") ? 0 : 1);
      if (count === 1) await eventually(async () => (await contentsOf(macbeth)).length > 0);
      expect(await contentsOf(macbeth)).toEqual(count === 1 ? ["Tomorrow"] : []);
    },
  );

  test.concurrent.each(deaths)("while delivering, at call %i, %s: the retry delivers it, once", async (step, when) => {
    const macbeth = await aPerson("Macbeth");
    const id = await scheduleMessage(scheduledMessage(macbeth, "Out, out", inSeconds(3600)));
    const deliver = () => deliverMessageIfPending({ userId: macbeth.id, id, version: 1 });

    const { reached } = await withFailure(step, when, deliver);
    await deliver();
    await deliver();

    expect(reached).toBe(true);
    expect(await contentsOf(macbeth)).toEqual(["Out, out"]);
    expect(await findScheduledMessage(macbeth.id, id)).toBeUndefined();
  });

  test.concurrent.each(deaths)(
    "while editing, at call %i, %s: the message is delivered once, with one of the two texts",
    async (step, when) => {
      const macbeth = await aPerson("Macbeth");
      const id = await scheduleMessage(scheduledMessage(macbeth, "old", soon()));
      const before = await findScheduledMessage(macbeth.id, id);
      if (!before) throw new Error("the message is gone");

      await withFailure(step, when, () => commit(editScheduledMessage(before, { content: "new" })));
      await scheduledDeliveries.sweep();

      await eventually(async () => (await contentsOf(macbeth)).length > 0);
      const isEdited = !(step === 1 || (step === 2 && when === "before"));
      expect(await contentsOf(macbeth)).toEqual([isEdited ? "new" : "old"]);
    },
  );

  test.concurrent.each(deaths.slice(2))(
    "while cancelling, at call %i, %s: after the record is deleted the message is never delivered",
    async (step, when) => {
      const macbeth = await aPerson("Macbeth");
      const deliverAt = soon();
      const id = await scheduleMessage(scheduledMessage(macbeth, "cancelled", deliverAt));
      const scheduled = await findScheduledMessage(macbeth.id, id);
      if (!scheduled) throw new Error("the message is gone");

      await withFailure(step, when, () => commit(cancelScheduledMessage(scheduled)));
      const cancelled = (await findScheduledMessage(macbeth.id, id)) === undefined;
      await scheduleMessage(scheduledMessage(macbeth, "of the same time", deliverAt));

      expect(cancelled).toBe(!(step === 2 && when === "before"));
      const expected = [...(cancelled ? [] : ["cancelled"]), "of the same time"];
      await eventually(async () => (await contentsOf(macbeth)).length >= expected.length);
      // Simulates a schedule that fires late, or twice.
      await deliverMessageIfPending({ userId: macbeth.id, id, version: 1 });
      expect((await contentsOf(macbeth)).sort()).toEqual(expected);
    },
  );
});
