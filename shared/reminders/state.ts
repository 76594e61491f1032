import { listReminders } from "../store/reminders.ts";
import type { Caller } from "../users/caller.ts";
import { wireReminder } from "./wire.ts";

/** What a client that registers is told of reminders, by their time. */
export const remindersState = async (caller: Pick<Caller, "id">) => ({
  reminders: (await listReminders(caller.id)).sort((a, b) => a.deliverAt - b.deliverAt).map(wireReminder),
});
