import { expect, onTestFinished } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { noteMissed } from "../../shared/messaging/missed-mail/note-missed.ts";
import { sendMissed } from "../../shared/messaging/missed-mail/send.ts";
import { deliverMail } from "../../shared/services/mail/send.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findDueMail, postponeDueMail, seenDueMails } from "../../shared/store/delivery/missed-messages.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { listEmailUserIds } from "../../shared/store/users/user-settings.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { aChannel, aPerson, costTest, partitionEndReadUnits } from "../support/world.ts";

/** What the log consumer does for mail in one step with these messages, at sequence numbers that its cursor has passed. */
const note = (messageIds: readonly number[]) =>
  withTrace(() =>
    withRequestScope(async () =>
      noteMissed(
        messageIds.map((message_id) => ({ sequence: 0, event: { type: "message", message_id } })),
        await loadRealm(),
      ),
    ),
  );

/** Stops the fleet's own workers, which would note and mail the messages at the same time. */
async function holdWorkers() {
  await holdLog();
  onTestFinished(() => releaseLog());
}

costTest("a channel message without mentions costs the same for three subscribers and for thirty", async () => {
  await holdWorkers();
  const sender = await aPerson("Balthasar");
  const crowd = await Promise.all(Array.from({ length: 30 }, (_, index) => aPerson(`Watchman ${index}`)));
  const [small, large] = [
    await aChannel("small", [sender, ...crowd.slice(0, 3)]),
    await aChannel("large", [sender, ...crowd]),
  ];
  const costOf = async (channel: { id: number }) => {
    const id = await sendToChannel(sender, channel as never, "songs", "Sigh no more");
    await note([id]);
    return (await note([id])).trace;
  };

  const [smallCost, largeCost] = [await costOf(small), await costOf(large)];

  expect(Math.abs(largeCost.readUnits - smallCost.readUnits)).toBeLessThanOrEqual(partitionEndReadUnits);
  // Other tests may have left people who get mail about every message of their channels.
  const emailUsers = (await listEmailUserIds()).length;
  expect(largeCost.readUnits).toBeLessThanOrEqual(6 + partitionEndReadUnits + emailUsers / 2);
  expect(largeCost.writeUnits).toBe(0);
});

costTest("noting a direct message costs 3 write units, mailing it 4, and so does a long one", async () => {
  await holdWorkers();
  const [sender, reader] = [await aPerson("Balthasar"), await aPerson("Claudio")];
  await reader.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
  for (const text of ["Men were deceivers ever", "Men were deceivers ever. ".repeat(300)]) {
    const messageId = await sendDirect(sender, [reader], text);
    // This test takes the mail before it is due, which the process does not know.
    seenDueMails.clear();

    const noting = await note([messageId]);
    const due = await findDueMail(reader.id);
    if (due?.dueAt !== undefined) await postponeDueMail(due, due.dueAt - 700);
    const mailing = await withTrace(() => withRequestScope(() => sendMissed(reader.id)));
    const mail = { id: `cost-${messageId}`, to: "claudio@globe.test", subject: "-", text };
    process.env.MAIL_FROM ??= "skein@globe.test";
    const delivering = await withTrace(() => deliverMail(mail, async () => true));

    // The note is for everybody who missed the message; the other 2 and what follows are the mail's.
    expect(noting.trace.writeUnits).toBe(3);
    expect(noting.trace.readUnits).toBeLessThanOrEqual(8 + partitionEndReadUnits);
    expect(mailing.trace.writeUnits).toBe(2);
    expect(mailing.trace.readUnits).toBeLessThanOrEqual(20);
    expect(delivering.trace.writeUnits).toBe(2);
  }
});
