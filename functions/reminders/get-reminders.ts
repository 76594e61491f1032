import { list } from "../../shared/base/schema/params.ts";
import { reminderObject, remindersState } from "../../shared/messaging/reminders/reminders.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/reminders",
    summary: "Lists the caller's reminders, ordered by time.",
    caller: "user",
    params: {},
    returns: { reminders: list(reminderObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => remindersState(caller),
);
