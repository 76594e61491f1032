import { keepFilesUntil } from "../../shared/files/keeping.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, oneOf, optional, text, timestamp } from "../../shared/http/params.ts";
import { readByDefault } from "../../shared/messages/clients.ts";
import { compose } from "../../shared/messages/compose.ts";
import { checkContent } from "../../shared/messages/content.ts";
import { messageTypes } from "../../shared/messages/destination.ts";
import { addressedById, recipientIdParam } from "../../shared/messages/recipients.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { accessPlace, checkDeliveryTime } from "../../shared/scheduled-messages/access.ts";
import { scheduleMessage } from "../../shared/scheduled-messages/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/scheduled_messages",
    summary: "Schedules a message for later delivery.",
    caller: "user",
    params: {
      type: oneOf(messageTypes),
      to: recipientIdParam(),
      content: text(),
      topic: optional(text()),
      scheduled_delivery_timestamp: timestamp(),
      read_by_sender: optional(bool()),
    },
    returns: { scheduled_message_id: int() },
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params, request }) => {
    const content = checkContent(params.content);
    checkDeliveryTime(params.scheduled_delivery_timestamp);
    const named = addressedById(params.type, params.to, params.topic);
    const realm = await accessRealm();
    const { place, destination } = await accessPlace(caller, named, realm);
    const { rendered, files } = await compose(caller, content, destination, realm);
    await keepFilesUntil(files?.uploads ?? [], params.scheduled_delivery_timestamp);
    const scheduled_message_id = await scheduleMessage({
      ...place,
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
