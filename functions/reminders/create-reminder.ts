import { limits } from "../../shared/base/limits.ts";
import { onDemand } from "../../shared/base/needs.ts";
import { int, string, timestamp, withDefault } from "../../shared/base/schema/params.ts";
import { readableMessage } from "../../shared/messaging/messages/access.ts";
import { renderTextOrSource } from "../../shared/messaging/messages/render/render.ts";
import { addReminder, checkReminderCount, reminderText } from "../../shared/messaging/reminders/reminders.ts";
import { checkDeliveryTime } from "../../shared/messaging/scheduled-messages/access.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { findUser } from "../../shared/store/users/users.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/reminders",
    summary: "Schedules a direct message from Notification Bot that reminds the caller of a message.",
    note: "The reminder is sent however late it is. It quotes the message's text as it is at delivery, unless the caller can no longer read that message. Reminders of deactivated users are removed.",
    caller: "user",
    params: {
      message_id: int(),
      scheduled_delivery_timestamp: timestamp(),
      note: withDefault(string({ max: limits.reminderNoteLength }), ""),
    },
    returns: { reminder_id: int() },
    needs: { realm, message: onDemand(readableMessage) },
    creates: "reminder",
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params, realm, message }) => {
    checkDeliveryTime(params.scheduled_delivery_timestamp);
    await checkReminderCount(caller.id);
    const accessed = await message();
    const { id: messageId, senderId } = accessed.message;
    const note = params.note.trim();
    const content = reminderText(accessed, await findUser(senderId), note);
    const { html } = await renderTextOrSource(content, realm, caller);
    const deliverAt = params.scheduled_delivery_timestamp;
    return {
      reminder_id: await addReminder({ userId: caller.id, messageId, content, html, deliverAt, ...(note && { note }) }),
    };
  },
);
