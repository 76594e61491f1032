import type { Channel } from "../store/channels.ts";
import type { Audience, LoggedEvent } from "../store/log.ts";
import type { Message } from "../store/messages.ts";
import { listSubscriberIds } from "../store/subscriptions.ts";
import { profilesOf } from "../users/profiles.ts";
import { roles } from "../users/roles.ts";
import { audienceOf } from "./audience.ts";
import { isProtected } from "./periods.ts";
import type { RenderedText } from "./render.ts";

/** Events about messages that were edited, moved or deleted (companion reference, D). */

export interface EditedParts {
  actorId: number;
  at: number;
  channel: Channel | undefined;
  /** The messages that changed; the first is the one that the event names. */
  messages: readonly Message[];
  text?: { content: string; rendered: RenderedText } | undefined;
  move?: { channel: Channel; topic: string; topicLinks: Message["topicLinks"]; propagateMode: string } | undefined;
  audience: Audience;
}

export function updateMessageEvent(parts: EditedParts): LoggedEvent {
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

/** Messages of one place that are gone, or gone for those in the audience. */
export const deleteMessageEvent = (messages: readonly Message[], audience: Audience): LoggedEvent => {
  const [{ channelId, topic }] = messages as [Message];
  return {
    audience,
    event: {
      type: "delete_message",
      message_ids: messages.map(({ id }) => id).sort((a, b) => a - b),
      message_type: channelId === undefined ? "private" : "stream",
      ...(channelId !== undefined && { stream_id: channelId, topic: topic ?? "" }),
    },
  };
};

/** Who hears of a move between channels, and who loses sight of the messages by it. */
export async function audiencesOfMove(
  from: Channel,
  to: Channel,
  newest: Message,
  actorId: number,
  usersVersion: number,
): Promise<{ keeping: Audience; losing: number[] }> {
  if (from.id === to.id) return { keeping: audienceOf(newest, [actorId]), losing: [] };
  const [before, after] = await Promise.all([listSubscriberIds(from.id), listSubscriberIds(to.id)]);
  const inside = new Set(after);
  const outside = before.filter((id) => !inside.has(id));
  const profiles = to.inviteOnly ? undefined : await profilesOf(outside, usersVersion);
  const isLosing = (id: number) => (profiles ? profiles.get(id)?.role === roles.guest && !to.isWebPublic : true);
  const losing = outside.filter(isLosing);
  const userIds = [...outside.filter((id) => !losing.includes(id)), actorId];
  // Where history is protected, whoever is there reads what comes.
  const named = isProtected(to) ? {} : { messageId: newest.id };
  return { keeping: { kind: "channel", channelId: to.id, userIds, ...named }, losing };
}
