import { nowSeconds } from "../../../base/time.ts";
import { type WidgetContent, widgetOf } from "../../../core/markdown/widgets.ts";
import type { PolicyRaise } from "../../../core/user-topics/automatic.ts";
import { userTopicChangedEvent } from "../../../core/user-topics/events.ts";
import { putUserTopic, type UserTopic } from "../../../store/channels/user-topics.ts";
import { eventForUser, type LoggedEvent } from "../../../store/log/entry.ts";
import { type ChangePart, commitNumbered, joinParts, type Numbers, noChange } from "../../../store/log/log.ts";
import { createConversation, findConversation, resumeConversation } from "../../../store/messages/conversations.ts";
import { createLocalId } from "../../../store/messages/local-ids.ts";
import { createMessage, type Message } from "../../../store/messages/messages.ts";
import { createSubmessage } from "../../../store/messages/submessages.ts";
import { AlreadyDone, retryOnConflict } from "../../../store/table/conflicts.ts";
import { takeIds } from "../../../store/table/counters.ts";
import type { FollowUp } from "../../../store/table/follow-ups.ts";
import { ConditionFailed } from "../../../store/table/transactions.ts";
import type { FileChange } from "../../uploads/claims.ts";
import type { RenderedText } from "../render/render.ts";
import type { Destination } from "./destination.ts";
import { mentionWrites, topicParticipants } from "./mention-index.ts";
import { widgetSubmessage, type ZForm } from "./widget-content.ts";

/** A message whose sender, destination and text have been checked. */
export interface OutgoingMessage {
  senderId: number;
  destination: Destination;
  content: string;
  rendered: RenderedText;
  /** Channel messages whose topic contains links. */
  topicLinks?: Message["topicLinks"];
  /** The uploaded files that the content links to. */
  files?: FileChange;
  client: string;
  /** UNIX seconds; now by default. Only for messages that existed before the organization. */
  sentAt?: number | undefined;
  readBySender: boolean;
  /** Those who have muted the sender; undefined: nobody. */
  mutedBy?: number[] | undefined;
  /** A widget shown with the message; without it, content that begins with a widget command creates one. */
  widget?: WidgetContent | ZForm | undefined;
  /** The sending client's event queue, and its local name of the message. The event in that queue has the name. */
  echo?: { queueId: string; localId: string } | undefined;
  /** The visibility policy of the topic that sending the message sets for the sender. It is part of the message's event. */
  policyRaise?: PolicyRaise | undefined;
  /** What follows the message, given its ID. */
  followUps?: ((messageId: number) => FollowUp[]) | undefined;
}

/**
 * A message as a part of a change. Its own event comes first, then those for the owners of linked files, and one for the sender's
 * legacy clients about muted topics.
 */
interface MessagePlan extends Required<ChangePart> {
  message: Message;
}

/**
 * Sends a message in one transaction, and returns its ID. A message below 1 KB costs at most 12 write units, 2 more with a
 * local ID, and 2 per participant of a direct conversation. A message with the local ID of an earlier one is not sent again.
 */
export const sendMessage = (outgoing: OutgoingMessage): Promise<number> =>
  retryWithFreshFiles(outgoing, (current) => withConversation(current, writeMessage));

/** Writes a message, unless its sender has sent it before under the same local ID; then returns the ID of that message. */
async function writeMessage(resolved: ResolvedMessage): Promise<number> {
  const { senderId, echo } = resolved;
  try {
    const { id } = await commitNumbered({ messages: 1 }, (numbers) => {
      const plan = planMessage(resolved, numbers);
      const { id } = plan.message;
      return { ...joinParts({ writes: echo ? [createLocalId({ senderId, ...echo }, id)] : [] }, plan), id };
    });
    return id;
  } catch (error) {
    if (error instanceof AlreadyDone) return error.existing?.messageId as number;
    throw error;
  }
}

/** Runs `write` again when a linked file was changed or deleted between reading and writing it. */
async function retryWithFreshFiles<T>(
  outgoing: OutgoingMessage,
  write: (current: OutgoingMessage) => Promise<T>,
): Promise<T> {
  const planned = outgoing.files;
  if (!planned?.changesLinks) return write(outgoing);
  let isRetry = false;
  return retryOnConflict(async () => {
    const files = isRetry ? await planned.replan() : planned;
    isRetry = true;
    return write({ ...outgoing, files });
  });
}

export type ResolvedMessage = OutgoingMessage & {
  recipientId: number;
  /** Whether the message is the only one of its direct conversation. */
  newConversation: boolean;
  /** The users that a topic wildcard mentions. */
  participants?: number[];
};

/**
 * Runs `write` with the recipient ID of the message's destination. When two users start the same conversation at once,
 * the second transaction fails, and is retried with the first one's conversation.
 */
export async function withConversation<T>(
  outgoing: OutgoingMessage,
  write: (resolved: ResolvedMessage) => Promise<T>,
): Promise<T> {
  const { destination } = outgoing;
  if (destination.kind === "channel") {
    const { channel, topic } = destination;
    const participants = outgoing.rendered.topicWildcard ? await topicParticipants(channel.id, topic) : [];
    return write({ ...outgoing, recipientId: channel.recipientId, newConversation: false, participants });
  }
  const { conversation } = destination;
  if (conversation) {
    const { recipientId, ended = false } = conversation;
    return write({ ...outgoing, recipientId, newConversation: ended });
  }
  try {
    return await write({ ...outgoing, recipientId: await takeIds("recipient"), newConversation: true });
  } catch (error) {
    const concurrentConversation =
      error instanceof ConditionFailed ? await findConversation(destination.userIds) : undefined;
    if (!concurrentConversation) throw error;
    return write({ ...outgoing, recipientId: concurrentConversation.recipientId, newConversation: false });
  }
}

/** Plans a message with its allocated numbers; the change may contain others too. */
export function planMessage(resolved: ResolvedMessage, numbers: Numbers): MessagePlan {
  const { destination, content, rendered, topicLinks, recipientId } = resolved;
  const message: Message = {
    id: numbers.message,
    senderId: resolved.senderId,
    ...(destination.kind === "channel"
      ? { channelId: destination.channel.id, topic: destination.topic }
      : { userIds: destination.userIds }),
    recipientId,
    content,
    html: rendered.html,
    sentAt: resolved.sentAt ?? nowSeconds(),
    client: resolved.client,
    ...(rendered.isMeMessage && { isMe: true }),
    ...(topicLinks && { topicLinks }),
    ...(resolved.files?.uploads && { uploads: resolved.files.uploads }),
    ...(resolved.readBySender && { readBySender: true }),
    ...(resolved.mutedBy && { mutedBy: resolved.mutedBy }),
  };
  const widget = resolved.widget ?? widgetOf(content);
  if (widget) message.hasSubmessages = true;
  const writes = [
    ...createMessage(message),
    ...mentionWrites(message, rendered.mentionedUserIds, resolved.participants),
    ...(widget ? [createSubmessage(widgetSubmessage(message, widget, numbers.event))] : []),
  ];
  const topicPolicy = topicPolicyAfter(resolved, message);
  if (topicPolicy) writes.push(putUserTopic(topicPolicy));
  if (destination.kind === "direct" && resolved.newConversation) {
    const { userIds, conversation } = destination;
    writes.push(conversation ? resumeConversation(userIds) : createConversation({ userIds, recipientId }));
  }
  const files = resolved.files?.plan(message) ?? noChange;
  writes.push(...files.writes);
  const muted_topics = resolved.policyRaise?.mutedTopics;
  const events = [
    messageEvent(message, resolved, topicPolicy),
    ...files.events,
    ...(muted_topics ? [eventForUser(message.senderId, { type: "muted_topics", muted_topics })] : []),
  ];
  return { message, writes, events, followUps: resolved.followUps?.(message.id) ?? [] };
}

/** The sender's policy for the message's topic, if sending changes it. */
const topicPolicyAfter = (
  { policyRaise, senderId: userId }: OutgoingMessage,
  { channelId, topic, sentAt: updatedAt }: Message,
): UserTopic | undefined =>
  policyRaise && channelId !== undefined && topic !== undefined
    ? { userId, channelId, topic, policy: policyRaise.policy, updatedAt }
    : undefined;

/**
 * The log entry contains only the message ID; each client's event is rendered with that client's options when it is read.
 * The entry also contains the policy that sending sets for the sender, as a separate entry would cost two more write units.
 */
const messageEvent = (
  message: Message,
  { echo, newConversation }: ResolvedMessage,
  topicPolicy: UserTopic | undefined,
): LoggedEvent => ({
  audience:
    message.channelId === undefined
      ? { kind: "users", userIds: message.userIds ?? [] }
      : { kind: "channel", channelId: message.channelId, userIds: [message.senderId] },
  event: {
    type: "message",
    message_id: message.id,
    ...(echo && { queue_id: echo.queueId, local_id: echo.localId }),
    // Users with limited visibility get access to the other participants with the first message of a conversation.
    ...(newConversation && { begins: message.userIds }),
    ...(topicPolicy && { raised: { user_id: topicPolicy.userId, event: userTopicChangedEvent(topicPolicy) } }),
  },
});
