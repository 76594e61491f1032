import { leadingItems } from "../http/reply-size.ts";
import type { Caller } from "../identity/caller.ts";
import { bool, int, list, oneOf, strictObject, text, type Value } from "../schema/params.ts";
import { listReminders, type Reminder } from "../store/messages/reminders.ts";

export const reminderObject = strictObject({
  reminder_id: int(),
  type: oneOf(["private"]),
  to: list(int()),
  content: text(),
  rendered_content: text(),
  scheduled_delivery_timestamp: int(),
  failed: bool(),
  reminder_target_message_id: int(),
});

export const toReminderWire = (reminder: Reminder): Value<typeof reminderObject> => ({
  reminder_id: reminder.id,
  type: "private",
  to: [reminder.userId],
  content: reminder.content,
  rendered_content: reminder.html,
  scheduled_delivery_timestamp: reminder.deliverAt,
  // Undeliverable reminders are deleted, so that none is ever marked as failed.
  failed: false,
  reminder_target_message_id: reminder.messageId,
});

/** The initial state of reminders, by time: as many as fit into a reply. */
export const remindersState = async (caller: Pick<Caller, "id">) => ({
  reminders: leadingItems(
    (await listReminders(caller.id)).sort((a, b) => a.deliverAt - b.deliverAt).map(toReminderWire),
  ),
});
