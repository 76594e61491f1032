import { int, list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { scheduledMessageObject } from "./wire.ts";

const type = literal("scheduled_messages");

/** Events about scheduled messages, for their sender. */
export const scheduledMessageEvents = [
  strictObject({ type, op: literal("add"), scheduled_messages: list(scheduledMessageObject) }),
  strictObject({ type, op: literal("update"), scheduled_message: scheduledMessageObject }),
  strictObject({ type, op: literal("remove"), scheduled_message_id: int() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    scheduled_messages: Value<(typeof scheduledMessageEvents)[number]>;
  }
}
