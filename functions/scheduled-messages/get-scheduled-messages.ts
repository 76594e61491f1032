import { list } from "../../shared/base/schema/params.ts";
import { scheduledMessageObject, toScheduledMessageWire } from "../../shared/messaging/scheduled-messages/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { leadingItems } from "../../shared/services/http/reply-size.ts";
import { listScheduledMessages } from "../../shared/store/messages/scheduled-messages.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/scheduled_messages",
    summary: "Lists the caller's scheduled messages by delivery time: as many of the earliest as fit into a reply.",
    caller: "user",
    params: {},
    returns: { scheduled_messages: list(scheduledMessageObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => {
    const scheduled = await listScheduledMessages(caller.id);
    scheduled.sort((a, b) => a.deliverAt - b.deliverAt);
    return { scheduled_messages: leadingItems(scheduled.values().map(toScheduledMessageWire)) };
  },
);
