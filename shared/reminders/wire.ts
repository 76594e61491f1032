import { bool, exactly, int, list, oneOf, text, type Value } from "../http/params.ts";
import type { Reminder } from "../store/reminders.ts";

/** The record of a reminder (decisions, 6). */
export const reminderObject = exactly({
  reminder_id: int(),
  type: oneOf(["private"]),
  to: list(int()),
  content: text(),
  rendered_content: text(),
  scheduled_delivery_timestamp: int(),
  failed: bool(),
  reminder_target_message_id: int(),
});

export const wireReminder = (reminder: Reminder): Value<typeof reminderObject> => ({
  reminder_id: reminder.id,
  type: "private",
  to: [reminder.userId],
  content: reminder.content,
  rendered_content: reminder.html,
  scheduled_delivery_timestamp: reminder.deliverAt,
  // A reminder that cannot be delivered has nobody to tell of it, and is removed.
  failed: false,
  reminder_target_message_id: reminder.messageId,
});
