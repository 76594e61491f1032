import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, remove, type Write } from "../table/writes.ts";
import { listDue } from "./scheduled-messages.ts";

export interface Reminder {
  id: number;
  userId: number;
  messageId: number;
  /** The reminder's text, composed when it was requested. */
  content: string;
  /** The note within the text; absent if there is none. */
  note?: string;
  html: string;
  /** UNIX seconds. */
  deliverAt: number;
}

const key = (userId: number, id: number) => ({ pk: `USER#${userId}`, sk: `REMINDER#${padded(id)}` });

export const findReminder = (userId: number, id: number) => getItem<Reminder>(key(userId, id));

export const listReminders = (userId: number) => queryItems<Reminder>({ pk: `USER#${userId}`, prefix: "REMINDER#" });

/** Owner and ID of at most 1,000 reminders that are due at `untilSeconds` (UNIX time) or before, the earliest first. */
export const listDueReminders = (untilSeconds: number) => listDue("REMINDERS", untilSeconds);

export const createReminder = (reminder: Reminder): Write =>
  create({
    ...key(reminder.userId, reminder.id),
    gsi3pk: "REMINDERS",
    gsi3sk: padded(reminder.deliverAt),
    ...reminder,
  });

/** Fails when the reminder was delivered or cancelled already. */
export const deleteReminder = ({ userId, id }: Pick<Reminder, "userId" | "id">): Write =>
  remove(key(userId, id), { exists: true });
