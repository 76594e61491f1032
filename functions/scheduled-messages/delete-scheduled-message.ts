import { int } from "../../shared/base/schema/params.ts";
import { changeScheduledMessage } from "../../shared/messaging/scheduled-messages/access.ts";
import { cancelScheduledMessage } from "../../shared/messaging/scheduled-messages/actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/scheduled_messages/{scheduled_message_id}",
    summary: "Cancels a scheduled message.",
    note: "If the message was sent meanwhile, the reply is the 404 of an unknown scheduled message.",
    caller: "user",
    params: { scheduled_message_id: int() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params }) => changeScheduledMessage(caller, params.scheduled_message_id, cancelScheduledMessage),
);
