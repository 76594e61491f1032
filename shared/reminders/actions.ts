import { cancelSchedule, followUp, scheduleJob } from "../jobs/schedules.ts";
import { planMessage, type Settled } from "../messages/actions.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { createReminder, deleteReminder, type Reminder } from "../store/reminders.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { deliverReminder } from "./jobs.ts";
import { wireReminder } from "./wire.ts";

const ownEvent = (userId: number, op: string, fields: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "reminders", op, ...fields },
});

const removal = ({ userId, id }: Reminder) => ownEvent(userId, "remove", { reminder_id: id });

/** Keeps the reminder and then makes its schedule. Dying between the two loses nothing: the sweeper makes the schedule. */
export async function addReminder(wanted: Omit<Reminder, "id">): Promise<number> {
  const reminder = await commit({ events: 1, scheduledMessages: 1 }, ({ scheduledMessage: id }) => {
    const created: Reminder = { ...wanted, id };
    const event = ownEvent(wanted.userId, "add", { reminders: [wireReminder(created)] });
    return { writes: [createReminder(created)], events: [event], result: created };
  });
  await followUp(() => armReminder(reminder));
  return reminder.id;
}

/** False when it was delivered or cancelled in the meantime. */
export async function cancelReminder(reminder: Reminder): Promise<boolean> {
  const removed = await removeReminder(reminder);
  if (removed) await followUp(() => cancelSchedule(scheduleName(reminder)));
  return removed;
}

/** Removes a reminder that nobody is to get. False when it is gone already. */
export const removeReminder = (reminder: Reminder): Promise<boolean> =>
  unlessGone(
    commit({ events: 1 }, () => ({
      writes: [deleteReminder(reminder)],
      events: [removal(reminder)],
      result: true,
    })),
  );

/** Sends the reminder and removes its record in one transaction. False when it is gone already. */
export const remind = (reminder: Reminder, notice: Settled): Promise<boolean> =>
  unlessGone(
    commit({ events: 2, messages: 1 }, (numbers) => {
      const { writes, event } = planMessage(notice, numbers);
      return { writes: [deleteReminder(reminder), ...writes], events: [event, removal(reminder)], result: true };
    }),
  );

/** False when the first write's condition did not hold. */
async function unlessGone(written: Promise<boolean>): Promise<boolean> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof ConditionFailed && error.failed.includes(0)) return false;
    throw error;
  }
}

const scheduleName = ({ userId, id }: Reminder) => `reminder-${userId}-${id}`;

/** Has the reminder delivered at its time; doing it twice is doing it once. */
export const armReminder = (reminder: Reminder): Promise<void> =>
  scheduleJob(scheduleName(reminder), reminder.deliverAt, deliverReminder, {
    user_id: reminder.userId,
    id: reminder.id,
  });
