import type { LogEventOf } from "../../../base/schema/event-types.ts";
import { roles } from "../../../base/schema/roles.ts";
import { isProtected } from "../../../core/channels/periods.ts";
import { readableUpTo } from "../../../core/channels/rules.ts";
import { findCachedProfiles } from "../../../services/identity/profiles.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import { listSubscriberIds } from "../../../store/channels/subscriptions.ts";
import type { Audience, LoggedEvent } from "../../../store/log/entry.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { PropagateMode } from "../../../store/messages/moves.ts";
import { messageAudience } from "../audience.ts";
import type { RenderedText } from "../render/render.ts";

/** Events about edited, moved and deleted messages; see https://zulip.com/api/get-events. */

export interface UpdateMessageParts {
  actorId: number;
  /** UNIX seconds. */
  at: number;
  /** The channel from which the messages move, or in which they stay. */
  channel: Channel | undefined;
  /** The changed messages; the first becomes the event's `message_id`. */
  messages: readonly Message[];
  text?: { content: string; rendered: RenderedText } | undefined;
  move?:
    | { channel: Channel; topic: string; topicLinks: Message["topicLinks"]; propagateMode: PropagateMode }
    | undefined;
  audience: Audience;
}

export function messageUpdatedEvent(parts: UpdateMessageParts): LoggedEvent {
  const { messages, channel, text, move, audience } = parts;
  const message = messages[0] as Message;
  const topic = message.topic ?? "";
  return {
    audience,
    event: {
      type: "update_message",
      user_id: parts.actorId,
      rendering_only: false,
      message_id: message.id,
      message_ids: messages.map(({ id }) => id).sort((a, b) => a - b),
      flags: [],
      edit_timestamp: parts.at,
      ...(channel && { stream_id: channel.id, stream_name: channel.name }),
      ...(move && {
        ...(move.channel.id !== channel?.id && { new_stream_id: move.channel.id }),
        propagate_mode: move.propagateMode,
        orig_subject: topic,
        ...(move.topic !== topic && { subject: move.topic, topic_links: move.topicLinks ?? [] }),
      }),
      ...(text && {
        orig_content: message.content,
        orig_rendered_content: message.html,
        content: text.content,
        rendered_content: text.rendered.html,
        is_me_message: text.rendered.isMeMessage,
      }),
    },
  };
}

/** Messages of one topic or conversation that were deleted, or that the audience can no longer see. */
export const messageDeletedEvent = (
  messages: readonly Message[],
  audience: Audience,
  also: Pick<LogEventOf<"delete_message">, "ends"> = {},
): LoggedEvent => {
  const [{ channelId, topic }] = messages as [Message];
  return {
    audience,
    event: {
      type: "delete_message",
      message_ids: messages.map(({ id }) => id).sort((a, b) => a - b),
      message_type: channelId === undefined ? "private" : "stream",
      ...(channelId !== undefined && { stream_id: channelId, topic: topic ?? "" }),
      ...also,
    },
  };
};

/** The audience of a deletion: everybody who may read the message, because who has no subscription may still have starred it. */
export function deletionAudience(message: Message, channel: Channel | undefined, alsoUserIds: number[]): Audience {
  const audience = messageAudience(message, alsoUserIds);
  const upTo = channel ? readableUpTo(channel) : 0;
  return audience.kind === "channel" && upTo > 0 ? { ...audience, upTo } : audience;
}

/** The readers who still see the messages after a move between channels, and those who lose access to them. */
export async function audiencesOfMove(
  from: Channel,
  to: Channel,
  newest: Message,
  actorId: number,
  usersVersion: number,
): Promise<{ keeping: Audience; losing?: Audience }> {
  if (from.id === to.id) return { keeping: messageAudience(newest, [actorId]) };
  const [sourceSubscriberIds, targetSubscriberIds] = await Promise.all([
    listSubscriberIds(from.id),
    listSubscriberIds(to.id),
  ]);
  const targetIds = new Set(targetSubscriberIds);
  const onlyInSource = sourceSubscriberIds.filter((id) => !targetIds.has(id));
  const profiles = to.inviteOnly ? undefined : await findCachedProfiles(onlyInSource, usersVersion);
  const losesAccess = (id: number) => (profiles ? profiles.get(id)?.role === roles.guest && !to.isWebPublic : true);
  const losing = onlyInSource.filter(losesAccess);
  const userIds = [...onlyInSource.filter((id) => !losing.includes(id)), actorId];
  // With protected history, all present subscribers may read the moved messages, whenever they subscribed.
  const subscriberLimit = isProtected(to) ? {} : { messageId: newest.id };
  const keeping: Audience = { kind: "channel", channelId: to.id, userIds, ...subscriberLimit };
  const [above, upTo] = [readableUpTo(to), readableUpTo(from)];
  if (upTo > above)
    return { keeping, losing: { kind: "roles", above, upTo, exceptIds: targetSubscriberIds, userIds: losing } };
  return { keeping, ...(losing.length > 0 && { losing: { kind: "users", userIds: losing } }) };
}
