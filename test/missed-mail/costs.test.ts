import { expect, onTestFinished } from "vitest";
import { recordMissedMessage } from "../../shared/missed-mail/record-missed.ts";
import { sendMissed } from "../../shared/missed-mail/send.ts";
import { withTrace } from "../../shared/observability/trace.ts";
import { findDueMail, postponeDueMail } from "../../shared/store/delivery/missed-messages.ts";
import { withRequestScope } from "../../shared/store/table/recent-changes.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { aChannel, aPerson, costTest, partitionEndReadUnits } from "../support/world.ts";

costTest("a channel message without mentions costs the same for three subscribers and for thirty", async () => {
  const sender = await aPerson("Balthasar");
  const crowd = await Promise.all(Array.from({ length: 30 }, (_, index) => aPerson(`Watchman ${index}`)));
  const [small, large] = [
    await aChannel("small", [sender, ...crowd.slice(0, 3)]),
    await aChannel("large", [sender, ...crowd]),
  ];
  const costOf = async (channel: { id: number }) => {
    const message = {
      messageId: await sendToChannel(sender, channel as never, "songs", "Sigh no more"),
      after: 0,
      again: false,
    };
    await withTrace(() => withRequestScope(() => recordMissedMessage(message)));
    return (await withTrace(() => withRequestScope(() => recordMissedMessage(message)))).trace;
  };

  const [smallCost, largeCost] = [await costOf(small), await costOf(large)];

  expect(Math.abs(largeCost.readUnits - smallCost.readUnits)).toBeLessThanOrEqual(partitionEndReadUnits);
  expect(largeCost.readUnits).toBeLessThanOrEqual(9 + partitionEndReadUnits);
  expect(largeCost.writeUnits).toBe(0);
});

costTest("recording a direct message costs 3 write units, mailing it 7", async () => {
  // Stops the fleet's own workers, which would record and mail the message at the same time.
  await holdLog();
  onTestFinished(() => releaseLog());
  const [sender, reader] = [await aPerson("Balthasar"), await aPerson("Claudio")];
  await reader.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
  const messageId = await sendDirect(sender, [reader], "Men were deceivers ever");

  const recording = await withTrace(() =>
    withRequestScope(() => recordMissedMessage({ messageId, after: 0, again: false })),
  );
  const due = await findDueMail(reader.id);
  if (due) await postponeDueMail(due, due.dueAt - 700);
  const mailing = await withTrace(() => withRequestScope(() => sendMissed(reader.id)));

  expect(recording.trace.writeUnits).toBe(3);
  expect(recording.trace.readUnits).toBeLessThanOrEqual(14);
  expect(mailing.trace.writeUnits).toBe(7);
  expect(mailing.trace.readUnits).toBeLessThanOrEqual(14);
});
