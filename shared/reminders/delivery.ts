import { enqueueAll } from "../jobs/queues.ts";
import { withConversation } from "../messages/actions.ts";
import { noticeTo } from "../messages/notices.ts";
import { accessRealm } from "../organization/access.ts";
import { wakePush } from "../push/wake.ts";
import { findAccount } from "../store/accounts.ts";
import { findReminder, listDueReminders, type Reminder } from "../store/reminders.ts";
import { findUser } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import { armReminder, remind, removeReminder } from "./actions.ts";
import { deliverReminder } from "./jobs.ts";

/** Delivers a reminder that still waits, however late; one whose owner has left is removed. */
export async function deliverIfWaiting(userId: number, id: number): Promise<void> {
  const [reminder, user, realm] = await Promise.all([findReminder(userId, id), findUser(userId), accessRealm()]);
  if (!reminder) return;
  if (!user?.active) {
    await removeReminder(reminder);
    return;
  }
  const account = await findAccount(user.email);
  const notice = await noticeTo(realm, userId, reminder.content, account && { reader: callerOf(account) });
  await withConversation(notice, (settled) => remind(reminder, settled));
  await wakePush(realm);
}

/** Seconds ahead for which schedules are made sure of, and seconds after its time at which a reminder counts as left. */
const [ahead, overdue] = [600, 30];

/** Makes the schedules of reminders that are due soon (again: that changes nothing) and delivers those left behind. */
export async function sweep(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const due = await listDueReminders(now + ahead);
  const found = await Promise.all(due.map(({ userId, id }) => findReminder(userId, id)));
  const waiting = found.filter((reminder): reminder is Reminder => reminder !== undefined);
  await Promise.all(waiting.filter(({ deliverAt }) => deliverAt > now).map(armReminder));
  const left = waiting.filter(({ deliverAt }) => deliverAt <= now - overdue);
  await enqueueAll(
    deliverReminder,
    left.map(({ userId, id }) => ({ user_id: userId, id })),
  );
}
