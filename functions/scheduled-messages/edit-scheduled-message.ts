import { int, messageText, nameText, oneOf, optional, timestamp } from "../../shared/base/schema/params.ts";
import { checkContent } from "../../shared/base/schema/text.ts";
import { compose } from "../../shared/messaging/messages/send/compose.ts";
import { messageTypes } from "../../shared/messaging/messages/send/destination.ts";
import { recipientIdParam } from "../../shared/messaging/messages/send/recipients.ts";
import {
  accessScheduledMessage,
  accessStoredDestination,
  checkDeliveryTime,
  scheduledMessageChanged,
} from "../../shared/messaging/scheduled-messages/access.ts";
import { editScheduledMessage } from "../../shared/messaging/scheduled-messages/actions.ts";
import { editedDestination } from "../../shared/messaging/scheduled-messages/rules.ts";
import { retainFilesForDelivery } from "../../shared/messaging/uploads/keep-files.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/scheduled_messages/{scheduled_message_id}",
    summary: "Changes a scheduled message. A message that could not be sent needs a new time and is tried again.",
    note: "If the message has been sent meanwhile, the reply is the same 404 as for an unknown scheduled message.",
    caller: "user",
    params: {
      scheduled_message_id: int(),
      type: optional(oneOf(messageTypes)),
      to: optional(recipientIdParam()),
      content: optional(messageText()),
      topic: optional(nameText()),
      scheduled_delivery_timestamp: optional(timestamp()),
    },
    returns: {},
    needs: { realm },
    errors: [
      "BAD_REQUEST 404",
      "REQUEST_VARIABLE_MISSING",
      "STREAM_DOES_NOT_EXIST",
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    ],
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params, realm }) => {
    const before = await accessScheduledMessage(caller, params.scheduled_message_id);
    const named = editedDestination(before, params);
    const deliverAt = params.scheduled_delivery_timestamp ?? before.deliverAt;
    if (params.scheduled_delivery_timestamp !== undefined || before.failed) checkDeliveryTime(deliverAt);
    const content = params.content === undefined ? before.content : checkContent(params.content);
    const { stored, destination } = await accessStoredDestination(caller, named, realm);
    const { rendered, files } = await compose(caller, content, destination, realm);
    const { html } = rendered;
    await retainFilesForDelivery(files?.uploads ?? [], deliverAt);
    const noDestination = { channelId: undefined, topic: undefined, userIds: undefined };
    return { change: editScheduledMessage(before, { ...noDestination, ...stored, content, html, deliverAt }) };
  },
  { exhausted: scheduledMessageChanged },
);
