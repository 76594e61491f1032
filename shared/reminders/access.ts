import { notFound } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findReminder, type Reminder } from "../store/messages/reminders.ts";

/** Returns a reminder of the caller; others' and unknown ones give the same 404. */
export async function accessReminder(caller: Caller, id: number): Promise<Reminder> {
  const reminder = await findReminder(caller.id, id);
  if (!reminder) throw noSuchReminder();
  return reminder;
}

export const noSuchReminder = () => notFound("Reminder does not exist");
