import { type Conversation, conversationKey, conversationOf, type Message } from "./model.ts";

/** The conversations by their newest message, as far as they were fetched. */

export interface RecentConversation {
  conversation: Conversation;
  /** The ID of the newest message. */
  maxId: number;
  /** Who sent the newest message, when, in UNIX seconds, and how it begins, as HTML; undefined until it was fetched. */
  last?: { senderId: number; timestamp: number; beginning: string };
}

/** By `conversationKey`. */
export type RecentByKey = ReadonlyMap<string, RecentConversation>;

/** How much of a message's HTML is kept: more than a row shows. */
const maxBeginning = 800;
/** The beginning of a message's HTML. What a reader has not opened yet is not shown beside the conversation either. */
export const beginningOf = (html: string) =>
  (html.split('<div class="spoiler-content"')[0] ?? "").slice(0, maxBeginning);

/** Adds the conversations of messages, or raises their newest message. */
export function withMessages(known: RecentByKey, messages: readonly Message[], ownUserId: number): RecentByKey {
  const byKey = new Map(known);
  for (const message of messages) {
    const conversation = conversationOf(message, ownUserId);
    const key = conversationKey(conversation);
    if ((byKey.get(key)?.maxId ?? 0) > message.id) continue;
    byKey.set(key, {
      conversation,
      maxId: message.id,
      last: { senderId: message.sender_id, timestamp: message.timestamp, beginning: beginningOf(message.content) },
    });
  }
  return byKey;
}

/**
 * Replaces the conversations of a channel by the topics that the server lists. Keeps those with a message that is newer than
 * all of these: it arrived after the server had listed them.
 */
export function withTopics(
  known: RecentByKey,
  channelId: number,
  topics: readonly { name: string; max_id: number }[],
): RecentByKey {
  const newest = topics.reduce((highest, { max_id }) => Math.max(highest, max_id), 0);
  const byKey = new Map(
    [...known].filter(
      ([, { conversation, maxId }]) =>
        !(conversation.kind === "topic" && conversation.channelId === channelId) || maxId > newest,
    ),
  );
  for (const { name, max_id: maxId } of topics) {
    const conversation = { kind: "topic", channelId, topic: name } as const;
    const key = conversationKey(conversation);
    const last = known.get(key);
    // A message that arrived after the server had listed the topics is newer.
    byKey.set(key, last && last.maxId >= maxId ? last : { conversation, maxId });
  }
  return byKey;
}

/** Replaces what a conversation's newest message says, if it was edited. */
export function withEdit(known: RecentByKey, id: number, html: string): RecentByKey {
  for (const [key, recent] of known)
    if (recent.maxId === id && recent.last)
      return new Map(known).set(key, { ...recent, last: { ...recent.last, beginning: beginningOf(html) } });
  return known;
}

/** Removes the conversations whose newest message was deleted or moved; they are fetched again. */
export const withoutNewest = (known: RecentByKey, ids: ReadonlySet<number>): RecentByKey =>
  new Map([...known].filter(([, { maxId }]) => !ids.has(maxId)));
