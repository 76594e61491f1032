import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessScheduledMessage } from "../../shared/scheduled-messages/access.ts";
import { cancelScheduledMessage } from "../../shared/scheduled-messages/actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/scheduled_messages/{scheduled_message_id}",
    summary: "Cancels a scheduled message.",
    caller: "user",
    params: { scheduled_message_id: int() },
    returns: {},
    uses: { table: "readWrite", schedules: ["scheduled-messages"] },
  },
  async ({ caller, params }) => {
    const scheduled = await accessScheduledMessage(caller, params.scheduled_message_id);
    if (!(await cancelScheduledMessage(scheduled))) {
      // Sent or cancelled since: then it is the 404 of any other. Edited since: the caller has not seen the new text.
      await accessScheduledMessage(caller, params.scheduled_message_id);
      throw badRequest("The scheduled message was changed at the same time; try again.");
    }
  },
);
