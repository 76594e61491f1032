import { int } from "../../shared/base/schema/params.ts";
import { accessScheduledMessage, scheduledMessageChanged } from "../../shared/messaging/scheduled-messages/access.ts";
import { cancelScheduledMessage } from "../../shared/messaging/scheduled-messages/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/scheduled_messages/{scheduled_message_id}",
    summary: "Cancels a scheduled message.",
    note: "If the message has been sent meanwhile, the reply is the same 404 as for an unknown scheduled message.",
    caller: "user",
    params: { scheduled_message_id: int() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params }) => ({
    change: cancelScheduledMessage(await accessScheduledMessage(caller, params.scheduled_message_id)),
  }),
  { exhausted: scheduledMessageChanged },
);
