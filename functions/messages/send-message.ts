import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, oneOf, oneOfInts, optional, string, text } from "../../shared/http/params.ts";
import { sendMessage } from "../../shared/messages/actions.ts";
import { readByDefault } from "../../shared/messages/clients.ts";
import { compose } from "../../shared/messages/compose.ts";
import { checkContent } from "../../shared/messages/content.ts";
import { accessDestination, messageTypes } from "../../shared/messages/destination.ts";
import { addressedTo, recipientParam } from "../../shared/messages/recipients.ts";
import { checkWidgetContent } from "../../shared/messages/widget-content.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakePush } from "../../shared/push/wake.ts";
import { setTopicPolicy } from "../../shared/user-topics/actions.ts";
import { raiseBySending } from "../../shared/user-topics/automatic.ts";
import { webhookJobs } from "../../shared/webhooks/triggers.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages",
    summary: "Sends a message to a channel or directly to users.",
    caller: "user",
    incomingWebhooks: true,
    params: {
      type: oneOf(messageTypes),
      to: recipientParam(),
      content: text(),
      topic: optional(text()),
      subject: optional(text()),
      queue_id: optional(string({ max: 100 })),
      local_id: optional(string({ max: 100 })),
      read_by_sender: optional(bool()),
      widget_content: optional(text()),
    },
    returns: { id: int(), automatic_new_visibility_policy: optional(oneOfInts([2, 3])) },
    beside: accessRealm,
    uses: { table: "readWrite", sends: ["outgoing-webhooks", "push-wakes"], pushBouncer: true },
  },
  async ({ caller, params, request, beside: realm }) => {
    const named = addressedTo(params.type, params.to, params.topic ?? params.subject);
    const content = checkContent(params.content);
    const destination = await accessDestination(caller, named, realm);
    const readBySender = params.read_by_sender ?? readByDefault(request.client, destination, caller.id);
    const widget = params.widget_content === undefined ? undefined : checkWidgetContent(params.widget_content);
    const place = destination.kind === "channel" ? destination : undefined;
    const [composed, raise] = await Promise.all([
      compose(caller, content, destination, realm),
      place && raiseBySending(caller, place),
    ]);
    const { client } = request;
    const { queue_id: queueId, local_id: localId } = params;
    const echo = queueId !== undefined && localId !== undefined ? { queueId, localId } : undefined;
    const following = await webhookJobs(caller, destination, composed.rendered, realm);
    const raises = raise?.wasMuted ? undefined : raise?.policy;
    const sent = {
      senderId: caller.id,
      destination,
      client,
      readBySender,
      widget,
      echo,
      raises,
      begins: raise?.begins,
    };
    const id = await sendMessage({ ...composed, ...following, ...sent });
    await wakePush(realm);
    if (place && raise?.wasMuted) await setTopicPolicy(caller.id, place.channel, place.topic, raise.policy);
    return { id, ...(raise && { automatic_new_visibility_policy: raise.policy }) };
  },
);
