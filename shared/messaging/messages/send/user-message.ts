import { maxFollowers, policyAfterSending } from "../../../core/user-topics/automatic.ts";
import { followMentionedJob } from "../../../core/user-topics/jobs.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { webhookJobs } from "../../outgoing-webhooks/triggers/triggers.ts";
import type { RenderedText } from "../render/render.ts";
import type { OutgoingMessage } from "./actions.ts";
import { compose, readByDefault } from "./compose.ts";
import type { Destination } from "./destination.ts";

/** Messages that users send. They may change the topic's visibility policies, and call outgoing webhook bots. */

interface ClientOptions extends Pick<OutgoingMessage, "client" | "echo" | "widget"> {
  /** If undefined, `readByDefault` decides by the client's name. */
  readBySender: boolean | undefined;
  /** The paths of the files that the message may claim; by default, those that its author may read. */
  claimable?: readonly string[];
}

/** The queue and local name by which the sending client recognizes its message. Without one of them, the other is ignored. */
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
  { client, readBySender = readByDefault(client, destination, author.id), claimable, ...options }: ClientOptions,
  realm: Realm,
): Promise<OutgoingMessage> {
  const [composed, policyRaise] = await Promise.all([
    compose(author, content, destination, realm, claimable),
    destination.kind === "channel" ? policyAfterSending(author, destination) : undefined,
  ]);
  const followUps = await messageFollowUps(author, destination, composed.rendered, realm);
  return {
    ...composed,
    ...options,
    client,
    senderId: author.id,
    destination,
    readBySender,
    policyRaise,
    followUps,
  };
}

/** The reply's field for the topic policy that sending the message set for the sender, if any. */
export const automaticPolicy = ({ policyRaise }: OutgoingMessage) =>
  policyRaise && { automatic_new_visibility_policy: policyRaise.policy };

/**
 * The jobs that follow a user's message, given its ID: calls to outgoing webhooks, and a job by which mentioned users follow
 * the topic.
 */
export async function messageFollowUps(
  author: Caller,
  destination: Destination,
  rendered: RenderedText,
  realm: Realm,
): Promise<OutgoingMessage["followUps"]> {
  const webhooks = await webhookJobs(author, destination, rendered, realm);
  const user_ids = destination.kind === "channel" ? rendered.mentionedUserIds.slice(0, maxFollowers) : [];
  if (user_ids.length === 0) return webhooks;
  // Loaded only here: most messages need no queue.
  const { outboxJob } = await import("../../../services/jobs/outbox.ts");
  return (messageId) => [
    ...(webhooks?.(messageId) ?? []),
    outboxJob(followMentionedJob, { message_id: messageId, user_ids }),
  ];
}
