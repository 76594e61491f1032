import { int, list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { reminderObject } from "./reminders.ts";

const type = literal("reminders");

/** Events about reminders, for their owner. */
export const reminderEvents = [
  strictObject({ type, op: literal("add"), reminders: list(reminderObject) }),
  strictObject({ type, op: literal("remove"), reminder_id: int() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    reminders: Value<(typeof reminderEvents)[number]>;
  }
}
