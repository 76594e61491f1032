import { endpoint } from "../../shared/http/endpoint.ts";
import { reminderObject, remindersState } from "../../shared/reminders/reminders.ts";
import { list } from "../../shared/schema/params.ts";

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
