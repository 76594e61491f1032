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
      "A repeated request with the `queue_id` and `local_id` of an earlier one returns that message's ID and sends nothing, for a day, even if the queue has expired: a client may repeat a request whose reply it did not receive. The reference server sends the message again.",
      "A deactivated recipient is `BAD_REQUEST` with the address in the error. Bots may send and receive direct messages whatever the permissions for direct messages say. A direct message has at most 80 recipients.",
      "A message may link to at most 20 files, fewer in conversations of more than 20 people. Links to files that the sender may not read stay plain links.",
      "Wildcard mentions of more than 15 subscribers, or of more than 15 people who wrote or reacted among a topic's newest 500 messages, are reserved for `can_mention_many_users_group`.",
      "`widget_content` accepts a `zform`, a form of choices; `/poll` and `/todo` in the text start polls and to-do lists with at most 200 options or tasks.",
      "`automatic_new_visibility_policy` is set in the message's own transaction; if the topic was muted, right after it. Writing, reacting and voting are participation.",
      "Mentions by name alone resolve among the first ten users with that name; `|id` finds any of them. Deactivated users are found only by `|id` and are mentioned silently, as in quotes; so are system groups, since nobody may mention them. A mention of a group mentions its current members. A mention of a topic (`@**topic**`) flags the authors of its 100 newest messages, 50 people at most, at the time of sending; it notifies nobody else, and an edit that adds one sets no flags.",
      "Following a topic in which one is mentioned comes a moment after the message, for the first 20 users that it mentions.",
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
