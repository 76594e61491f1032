import { notFound } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { cancelReminder } from "../../shared/reminders/actions.ts";
import { findReminder } from "../../shared/store/reminders.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/reminders/{reminder_id}",
    summary: "Cancels one of the caller's reminders.",
    caller: "user",
    params: { reminder_id: int() },
    returns: {},
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params }) => {
    const reminder = await findReminder(caller.id, params.reminder_id);
    if (!reminder || !(await cancelReminder(reminder))) throw notFound("Reminder does not exist");
  },
);
