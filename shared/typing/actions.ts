import { visibleEmail } from "../identity/visibility.ts";
import type { LogEvent } from "../schema/event-types.ts";
import { commit } from "../store/log/log.ts";
import type { Message } from "../store/messages/messages.ts";
import { findSettingsOfUsers } from "../store/users/user-settings.ts";
import type { User } from "../store/users/users.ts";

export const typingOps = ["start", "stop"] as const;
export type TypingOp = (typeof typingOps)[number];

/** Channels with more subscribers have no typing notifications. */
export const maxTypingSubscribers = 100;

const toPersonWire = (user: User) => ({ user_id: user.id, email: visibleEmail(user) });

/** Notifies the participants of a direct conversation, including the sender's other clients, of typing. */
export const typeDirectly = (sender: User, op: TypingOp, people: readonly User[]): Promise<void> =>
  sendTypingEvent(
    people.map(({ id }) => id),
    {
      type: "typing",
      op,
      message_type: "direct",
      sender: toPersonWire(sender),
      recipients: people.map(toPersonWire),
    },
  );

/** Notifies a channel's subscribers of typing in a topic. */
export const typeInChannel = (
  sender: User,
  op: TypingOp,
  topic: { channelId: number; topic: string },
  subscriberIds: readonly number[],
): Promise<void> =>
  sendTypingEvent(subscriberIds, {
    type: "typing",
    op,
    message_type: "stream",
    sender: toPersonWire(sender),
    stream_id: topic.channelId,
    topic: topic.topic,
  });

/** Notifies users who can see a message that its author is editing it. */
export const typeInEdit = (message: Message, op: TypingOp, userIds: readonly number[]): Promise<void> =>
  sendTypingEvent(userIds, {
    type: "typing_edit_message",
    op,
    sender_id: message.senderId,
    message_id: message.id,
    recipient:
      message.channelId === undefined
        ? { type: "direct", user_ids: message.userIds ?? [] }
        : { type: "channel", channel_id: message.channelId, topic: message.topic ?? "" },
  });

/** Sends the event to those users who have typing notifications enabled. 0.5 read units for each user, and 3 write units. */
async function sendTypingEvent(userIds: readonly number[], event: LogEvent): Promise<void> {
  const settings = await findSettingsOfUsers(userIds);
  const receiving = userIds.filter((_, index) => settings[index]?.receives_typing_notifications !== false);
  if (receiving.length === 0) return;
  await commit({ events: 1 }, () => ({
    writes: [],
    events: [{ audience: { kind: "users", userIds: receiving }, event }],
    result: undefined,
  }));
}
