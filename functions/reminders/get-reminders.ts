import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { remindersState } from "../../shared/reminders/state.ts";
import { reminderObject } from "../../shared/reminders/wire.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/reminders",
    summary: "Lists the caller's reminders by their time.",
    caller: "user",
    params: {},
    returns: { reminders: list(reminderObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => remindersState(caller),
);
