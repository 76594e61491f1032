import { type Conversation, conversationKey, type Message, type Unread } from "./model.ts";

/** Which messages are unread, by conversation. */

export const isMention = (message: Pick<Message, "flags">) =>
  message.flags.some((flag) => flag === "mentioned" || flag.endsWith("wildcard_mentioned"));

export function withUnread(
  unread: Unread,
  conversation: Conversation,
  ids: readonly number[],
  mentionsUser: boolean,
): Unread {
  const key = conversationKey(conversation);
  const known = unread.byConversation.get(key);
  return {
    ...unread,
    byConversation: new Map(unread.byConversation).set(key, {
      conversation: known?.conversation ?? conversation,
      ids: new Set([...(known?.ids ?? []), ...ids]),
    }),
    mentions: mentionsUser ? new Set([...unread.mentions, ...ids]) : unread.mentions,
  };
}

export function withoutUnread(unread: Unread, removedIds: ReadonlySet<number>): Unread {
  const byConversation = new Map(unread.byConversation);
  for (const [key, entry] of unread.byConversation) {
    if (![...entry.ids].some((id) => removedIds.has(id))) continue;
    const ids = new Set([...entry.ids].filter((id) => !removedIds.has(id)));
    if (ids.size === 0) byConversation.delete(key);
    else byConversation.set(key, { ...entry, ids });
  }
  const mentions = [...unread.mentions].some((id) => removedIds.has(id))
    ? new Set([...unread.mentions].filter((id) => !removedIds.has(id)))
    : unread.mentions;
  return { ...unread, byConversation, mentions };
}

/** Where messages are unread: a conversation, a channel, or everywhere. */
export type Place = Conversation | { kind: "channel"; channelId: number } | { kind: "everything" };

/** The IDs of the unread messages of a place, ascending, as far as they are known. */
export function unreadIdsIn(unread: Unread, place: Place): readonly number[] {
  const entries =
    place.kind === "topic" || place.kind === "direct"
      ? [unread.byConversation.get(conversationKey(place))]
      : [...unread.byConversation.values()].filter(
          ({ conversation }) =>
            place.kind === "everything" ||
            (conversation.kind === "topic" && conversation.channelId === place.channelId),
        );
  return entries.flatMap((entry) => [...(entry?.ids ?? [])]).sort((a, b) => a - b);
}
