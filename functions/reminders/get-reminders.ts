import { list } from "../../shared/base/schema/params.ts";
import { remindersAsOfNow } from "../../shared/messaging/reminders/listed.ts";
import { reminderObject } from "../../shared/messaging/reminders/reminders.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/reminders",
    summary: "Lists the caller's reminders, ordered by time.",
    note: "Each reminder has the text that it would have if it were delivered now.",
    caller: "user",
    params: {},
    returns: { reminders: list(reminderObject) },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, realm }) => remindersAsOfNow(caller, realm),
);
