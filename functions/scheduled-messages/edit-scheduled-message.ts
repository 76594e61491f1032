import { keepFilesUntil } from "../../shared/files/keeping.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, oneOf, optional, text, timestamp } from "../../shared/http/params.ts";
import { compose } from "../../shared/messages/compose.ts";
import { checkContent } from "../../shared/messages/content.ts";
import { messageTypes } from "../../shared/messages/destination.ts";
import { recipientIdParam } from "../../shared/messages/recipients.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { accessPlace, changeScheduledMessage, checkDeliveryTime } from "../../shared/scheduled-messages/access.ts";
import { editScheduledMessage } from "../../shared/scheduled-messages/actions.ts";
import { editedDestination } from "../../shared/scheduled-messages/rules.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/scheduled_messages/{scheduled_message_id}",
    summary: "Changes a scheduled message; a failed one needs a new time and is tried again.",
    caller: "user",
    params: {
      scheduled_message_id: int(),
      type: optional(oneOf(messageTypes)),
      to: optional(recipientIdParam()),
      content: optional(text()),
      topic: optional(text()),
      scheduled_delivery_timestamp: optional(timestamp()),
    },
    returns: {},
    uses: { table: "readWrite", schedules: ["deliveries"] },
  },
  async ({ caller, params }) =>
    changeScheduledMessage(caller, params.scheduled_message_id, async (before) => {
      const named = editedDestination(before, params);
      const deliverAt = params.scheduled_delivery_timestamp ?? before.deliverAt;
      if (params.scheduled_delivery_timestamp !== undefined || before.failed) checkDeliveryTime(deliverAt);
      const content = params.content === undefined ? before.content : checkContent(params.content);
      const realm = await accessRealm();
      const { place, destination } = await accessPlace(caller, named, realm);
      const { rendered, files } = await compose(caller, content, destination, realm);
      const { html } = rendered;
      await keepFilesUntil(files?.uploads ?? [], deliverAt);
      const noPlace = { channelId: undefined, topic: undefined, userIds: undefined };
      return editScheduledMessage(before, { ...noPlace, ...place, content, html, deliverAt });
    }),
);
