import { int } from "../../shared/base/schema/params.ts";
import { accessReminder, cancelReminder } from "../../shared/messaging/reminders/reminders.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
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
  async ({ caller, params }) => ({ change: cancelReminder(await accessReminder(caller, params.reminder_id)) }),
);
