import { anything, bool, exactly, int, oneOf, optional, string, text, type Value } from "../http/params.ts";
import type { ScheduledMessage } from "../store/scheduled-messages.ts";

/** The record of a scheduled message (companion reference, B 4.1). */
export const scheduledMessageObject = exactly({
  scheduled_message_id: int(),
  type: oneOf(["stream", "private"]),
  to: anything(),
  topic: optional(string()),
  content: text(),
  rendered_content: text(),
  scheduled_delivery_timestamp: int(),
  failed: bool(),
});

export const wireScheduledMessage = (scheduled: ScheduledMessage): Value<typeof scheduledMessageObject> => ({
  scheduled_message_id: scheduled.id,
  ...(scheduled.channelId === undefined
    ? { type: "private", to: scheduled.userIds }
    : { type: "stream", to: scheduled.channelId, topic: scheduled.topic ?? "" }),
  content: scheduled.content,
  rendered_content: scheduled.html,
  scheduled_delivery_timestamp: scheduled.deliverAt,
  failed: scheduled.failed,
});
