import { onDemand } from "../../shared/base/needs.ts";
import {
  bool,
  int,
  messageText,
  nameText,
  oneOf,
  oneOfInts,
  optional,
  string,
  text,
} from "../../shared/base/schema/params.ts";
import { checkContent } from "../../shared/base/schema/text.ts";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { messageTypes } from "../../shared/messaging/messages/send/destination.ts";
import { checkRecipients, recipientParam, sentDestination } from "../../shared/messaging/messages/send/recipients.ts";
import { automaticPolicy, composeUserMessage, echoOf } from "../../shared/messaging/messages/send/user-message.ts";
import { checkWidget } from "../../shared/messaging/messages/send/widget-content.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages",
    summary: "Sends a message to a channel or directly to users.",
    note: [
      "For a day, a request with the `queue_id` and `local_id` of an earlier one returns that message's ID and sends nothing, even if the queue has expired. So a client may repeat a request whose reply it did not receive. The reference server would send the message again.",
      "A message to a deactivated user returns a `BAD_REQUEST` that contains the address. Bots may send and receive direct messages regardless of the permissions for direct messages. A direct message has at most 80 recipients.",
      "A message may link to at most 20 files, fewer in conversations of more than 20 people. Links to files that the sender may not read stay plain links.",
      "A channel wildcard mention requires `can_mention_many_users_group` if the channel has more than 15 subscribers. So does a topic wildcard mention if more than 15 people sent the topic's newest 500 messages or reacted to them.",
      "`widget_content` accepts a `zform`, a form of choices; `/poll` and `/todo` in the text start polls and to-do lists with at most 200 options or tasks.",
      "The policy in `automatic_new_visibility_policy` is set in the message's own transaction, or right after it if the topic was muted. Writing, reacting and voting count as participation.",
      "A mention by name alone can find only the first ten users with that name; `|id` finds any of them. Deactivated users are found only by `|id` and are mentioned silently, as in quotes. System groups are also mentioned silently, since nobody may mention them. A mention of a group mentions its current members. A mention of a topic (`@**topic**`) flags the authors of its 100 newest messages, 50 people at most, at the time of sending; it notifies nobody else, and an edit that adds one sets no flags.",
      "Users who automatically follow topics in which they are mentioned follow the topic a moment after the message is sent, up to the first 20 users that it mentions.",
    ],
    caller: "user",
    incomingWebhooks: true,
    params: {
      type: oneOf(messageTypes),
      to: recipientParam(),
      content: messageText(),
      topic: optional(nameText()),
      subject: optional(nameText()),
      queue_id: optional(string({ max: 100 })),
      local_id: optional(string({ max: 100 })),
      read_by_sender: optional(bool()),
      widget_content: optional(text()),
    },
    returns: { id: int(), automatic_new_visibility_policy: optional(oneOfInts([2, 3])) },
    needs: { realm, accessDestination: onDemand(sentDestination) },
    errors: ["STREAM_DOES_NOT_EXIST", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"],
    creates: ["message", "topic", "submessage"],
    uses: { table: "readWrite", sends: ["outgoing", "background-jobs"] },
  },
  async ({ caller, params, request, realm, accessDestination }) => {
    checkRecipients(params);
    const content = checkContent(params.content);
    const destination = await accessDestination();
    const widget = checkWidget(params.widget_content);
    const options = { client: request.client, readBySender: params.read_by_sender, echo: echoOf(params), widget };
    const message = await composeUserMessage(caller, content, destination, options, realm);
    const id = await sendMessage(message);
    return { id, ...automaticPolicy(message) };
  },
);
