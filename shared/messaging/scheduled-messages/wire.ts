import {
  bool,
  int,
  list,
  oneOf,
  optional,
  strictObject,
  string,
  text,
  union,
  type Value,
} from "../../base/schema/params.ts";
import type { ScheduledMessage } from "../../store/messages/scheduled-messages.ts";

/** The scheduled message object; see https://zulip.com/api/get-scheduled-messages. */
export const scheduledMessageObject = strictObject({
  scheduled_message_id: int(),
  type: oneOf(["stream", "private"]),
  to: union([int(), list(int())], "a channel's ID or a list of users"),
  topic: optional(string()),
  content: text(),
  rendered_content: text(),
  scheduled_delivery_timestamp: int(),
  failed: bool(),
});

export const toScheduledMessageWire = (scheduled: ScheduledMessage): Value<typeof scheduledMessageObject> => ({
  scheduled_message_id: scheduled.id,
  ...(scheduled.channelId === undefined
    ? { type: "private", to: scheduled.userIds ?? [] }
    : { type: "stream", to: scheduled.channelId, topic: scheduled.topic ?? "" }),
  content: scheduled.content,
  rendered_content: scheduled.html,
  scheduled_delivery_timestamp: scheduled.deliverAt,
  failed: scheduled.failed,
});
