import type { Caller } from "../../identity/caller.ts";
import type { Realm } from "../../organization/access.ts";
import { webhookJobs } from "../../outgoing-webhooks/triggers/triggers.ts";
import { followJob, policyAfterSending } from "../../user-topics/automatic.ts";
import { followMentionedJob } from "../../user-topics/jobs.ts";
import type { RenderedText } from "../render/render.ts";
import type { OutgoingMessage } from "./actions.ts";
import { compose, readByDefault } from "./compose.ts";
import type { Destination } from "./destination.ts";

/** Messages that users send, with their effects on the topic's visibility policies and on outgoing webhook bots. */

/** Options that the sending client sets. */
interface ClientOptions extends Pick<OutgoingMessage, "client" | "echo" | "widget"> {
  /** Undefined: depends on the client's name. */
  readBySender: boolean | undefined;
}

/** The queue and local name under which the sending client recognizes its message; ignored unless both are given. */
export const echoOf = ({
  queue_id: queueId,
  local_id: localId,
}: {
  queue_id?: string | undefined;
  local_id?: string | undefined;
}) => (queueId !== undefined && localId !== undefined ? { queueId, localId } : undefined);

/** Composes a message from `author`; refuses mentions that the author may not make. */
export async function composeUserMessage(
  author: Caller,
  content: string,
  destination: Destination,
  { client, readBySender = readByDefault(client, destination, author.id), ...options }: ClientOptions,
  realm: Realm,
): Promise<OutgoingMessage> {
  const [composed, raise] = await Promise.all([
    compose(author, content, destination, realm),
    destination.kind === "channel" ? policyAfterSending(author, destination) : undefined,
  ]);
  const followUpJobs = await messageJobs(author, destination, composed.rendered, realm);
  return {
    ...composed,
    ...options,
    client,
    senderId: author.id,
    destination,
    readBySender,
    raise,
    followUpJobs,
  };
}

/** The reply's field for a topic policy that sending has set for the sender. */
export const automaticPolicy = ({ raise }: OutgoingMessage) =>
  raise && { automatic_new_visibility_policy: raise.policy };

/** The jobs of a message that somebody sends, given its ID: calls of webhooks, and following the topic where it mentions users. */
export async function messageJobs(
  author: Caller,
  destination: Destination,
  rendered: RenderedText,
  realm: Realm,
): Promise<OutgoingMessage["followUpJobs"]> {
  const webhooks = await webhookJobs(author, destination, rendered, realm);
  const follow =
    destination.kind === "channel"
      ? followJob(destination.channel, destination.topic, rendered.mentionedUserIds)
      : undefined;
  if (!follow) return webhooks;
  // Loaded only here: most messages need no queue.
  const { outboxJob } = await import("../../jobs/outbox.ts");
  return (messageId) => [...(webhooks?.(messageId) ?? []), outboxJob(followMentionedJob, follow)];
}
