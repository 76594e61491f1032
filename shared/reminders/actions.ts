import { deferredDelivery } from "../jobs/deferred-delivery.ts";
import { followUp } from "../jobs/schedules.ts";
import { planMessage, type ResolvedMessage } from "../messages/send/actions.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit, commitNumbered } from "../store/log/log.ts";
import {
  createReminder,
  deleteReminder,
  findReminder,
  listDueReminders,
  type Reminder,
} from "../store/messages/reminders.ts";
import { alreadyDone, isFirstRun, succeeds } from "../store/table/conflicts.ts";
import { orElse } from "../store/table/writes.ts";
import { noSuchReminder } from "./access.ts";
import { deliverReminderJob } from "./jobs.ts";
import { toReminderWire } from "./wire.ts";

export const reminderDeliveries = deferredDelivery({
  kind: deliverReminderJob,
  jobOf: ({ userId, id }: Reminder) => ({ user_id: userId, id }),
  nameOf: ({ userId, id }) => `reminder-${userId}-${id}`,
  listDue: listDueReminders,
  findPending: ({ userId, id }) => findReminder(userId, id),
});

const removalEvent = ({ userId, id }: Reminder) =>
  eventForUser(userId, { type: "reminders", op: "remove", reminder_id: id });

/** Stores the reminder, then creates its schedule. After a crash in between, the sweep creates the schedule. */
export async function addReminder(draft: Omit<Reminder, "id">): Promise<number> {
  const { reminder } = await commitNumbered({ scheduledMessages: 1 }, ({ scheduledMessage: id }) => {
    const reminder: Reminder = { ...draft, id };
    const event = eventForUser(draft.userId, {
      type: "reminders",
      op: "add",
      reminders: [toReminderWire(reminder)],
    });
    return { reminder, writes: [createReminder(reminder)], events: [event] };
  });
  await followUp(() => reminderDeliveries.schedule(reminder));
  return reminder.id;
}

/** Deletes a reminder and its schedule. Throws a 404 if it was delivered or cancelled meanwhile. */
export async function cancelReminder(reminder: Reminder): Promise<void> {
  if (!(await removeReminder(reminder))) throw noSuchReminder();
  await followUp(() => reminderDeliveries.cancel(reminder));
}

/** Deletes a reminder without delivering it. False when it no longer exists. */
export const removeReminder = (reminder: Reminder): Promise<boolean> =>
  succeeds(commit({ writes: [deleteReminder(reminder)], events: [removalEvent(reminder)] }));

/** Sends the reminder and deletes its record in one transaction. False when it no longer exists. */
export const sendReminder = (reminder: Reminder, notice: ResolvedMessage): Promise<boolean> =>
  isFirstRun(
    commitNumbered({ messages: 1 }, (numbers) => {
      const { writes, events } = planMessage(notice, numbers);
      return {
        writes: [orElse(deleteReminder(reminder), alreadyDone), ...writes],
        events: [...events, removalEvent(reminder)],
      };
    }),
  );
