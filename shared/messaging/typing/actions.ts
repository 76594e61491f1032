import type { LogEvent } from "../../base/schema/event-types.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Audience } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { User } from "../../store/users/users.ts";

export const typingOps = ["start", "stop"] as const;
type TypingOp = (typeof typingOps)[number];

/** Channels with more subscribers have no typing notifications. */
const maxTypingSubscribers = 100;

const toPersonWire = (user: User) => ({ user_id: user.id, email: visibleEmail(user) });

/**
 * Notifies the participants of a direct conversation who receive typing notifications. The sender is one of them, for their
 * other clients.
 */
export const sendDirectTyping = (
  sender: User,
  op: TypingOp,
  { people, receiverIds }: { people: readonly User[]; receiverIds: readonly number[] },
): Change | undefined =>
  sendTypingEvent(userAudience(receiverIds), {
    type: "typing",
    op,
    message_type: "direct",
    sender: toPersonWire(sender),
    recipients: people.map(toPersonWire),
  });

/** Notifies a channel's subscribers that the sender types in a topic. */
export const sendTopicTyping = (
  sender: User,
  op: TypingOp,
  { channelId, topic }: { channelId: number; topic: string },
  audience: Audience | undefined,
): Change | undefined =>
  sendTypingEvent(audience, {
    type: "typing",
    op,
    message_type: "stream",
    sender: toPersonWire(sender),
    stream_id: channelId,
    topic,
  });

/** Notifies the audience that the author of a message is editing it. */
export const sendEditTyping = (message: Message, op: TypingOp, audience: Audience | undefined): Change | undefined =>
  sendTypingEvent(audience, {
    type: "typing_edit_message",
    op,
    sender_id: message.senderId,
    message_id: message.id,
    recipient:
      message.channelId === undefined
        ? { type: "direct", user_ids: message.userIds ?? [] }
        : { type: "channel", channel_id: message.channelId, topic: message.topic ?? "" },
  });

/** The audience of the given users; undefined if there are none. */
export const userAudience = (userIds: readonly number[]): Audience | undefined =>
  userIds.length > 0 ? { kind: "users", userIds: [...userIds] } : undefined;

/**
 * The audience of a channel's subscribers; undefined if there are none or too many. Event polls leave the event out for those
 * who do not receive typing notifications (`typingFilter` in shared/features/events), so that the sender need not read everybody's
 * settings.
 */
export const channelAudience = (channelId: number, subscriberCount: number): Audience | undefined =>
  subscriberCount > 0 && subscriberCount <= maxTypingSubscribers ? { kind: "channel", channelId } : undefined;

/** 3 write units. */
const sendTypingEvent = (audience: Audience | undefined, event: LogEvent): Change | undefined =>
  audience && { events: [{ audience, event }] };
