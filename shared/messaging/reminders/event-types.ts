import { int, list, literal, strictObject } from "../../base/schema/params.ts";
import { reminderObject } from "./reminders.ts";

const type = literal("reminders");

/** Events about reminders, for their owner. */
export const reminderEvents = [
  strictObject({ type, op: literal("add"), reminders: list(reminderObject) }),
  strictObject({ type, op: literal("remove"), reminder_id: int() }),
];
