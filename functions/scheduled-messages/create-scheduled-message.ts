import { onDemand } from "../../shared/base/needs.ts";
import { bool, int, messageText, nameText, oneOf, optional, timestamp } from "../../shared/base/schema/params.ts";
import { checkContent } from "../../shared/base/schema/text.ts";
import { compose, readByDefault } from "../../shared/messaging/messages/send/compose.ts";
import { messageTypes } from "../../shared/messaging/messages/send/destination.ts";
import { recipientIdParam, toNamedDestinationById } from "../../shared/messaging/messages/send/recipients.ts";
import {
  checkDeliveryTime,
  checkLinkedFiles,
  checkScheduledCount,
  laterDestination,
} from "../../shared/messaging/scheduled-messages/access.ts";
import { scheduleMessage } from "../../shared/messaging/scheduled-messages/actions.ts";
import { retainFilesForDelivery } from "../../shared/messaging/uploads/keep-files.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/scheduled_messages",
    summary: "Schedules a message for later delivery.",
    note: "The message claims the files that it links to when it is sent. Until then only its sender can read them; they are kept for four weeks after the message is due. If the sender is deactivated, or the message is more than ten minutes late, it is kept as failed. On AWS it is delivered within about a minute of the scheduled time.",
    caller: "user",
    params: {
      type: oneOf(messageTypes),
      to: recipientIdParam(),
      content: messageText(),
      topic: optional(nameText()),
      scheduled_delivery_timestamp: timestamp(),
      read_by_sender: optional(bool()),
    },
    returns: { scheduled_message_id: int() },
    needs: { realm, accessDestination: onDemand(laterDestination) },
    errors: ["STREAM_DOES_NOT_EXIST", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"],
    creates: "scheduledMessage",
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params, request, realm, accessDestination }) => {
    const content = checkContent(params.content);
    checkDeliveryTime(params.scheduled_delivery_timestamp);
    // Refuses what names no destination, before the total is read.
    toNamedDestinationById(params.type, params.to, params.topic);
    await checkScheduledCount(caller.id);
    const { stored, destination } = await accessDestination();
    const { rendered, files } = await compose(caller, content, destination, realm);
    checkLinkedFiles(caller, rendered.uploadPaths, files?.uploads ?? []);
    await retainFilesForDelivery(files?.uploads ?? [], params.scheduled_delivery_timestamp);
    const scheduled_message_id = await scheduleMessage({
      ...stored,
      userId: caller.id,
      content,
      html: rendered.html,
      deliverAt: params.scheduled_delivery_timestamp,
      readBySender: params.read_by_sender ?? readByDefault(request.client, destination, caller.id),
      client: request.client,
    });
    return { scheduled_message_id };
  },
);
