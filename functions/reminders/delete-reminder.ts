import { endpoint } from "../../shared/http/endpoint.ts";
import { accessReminder, cancelReminder } from "../../shared/reminders/reminders.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/reminders/{reminder_id}",
    summary: "Cancels one of the caller's reminders.",
    caller: "user",
    params: { reminder_id: int() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params }) => {
    const reminder = await accessReminder(caller, params.reminder_id);
    await cancelReminder(reminder);
  },
);
