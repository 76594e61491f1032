import { addFlags, putBroadMention, type SparseFlag } from "../../store/messages/message-flags.ts";
import { type Message, readPartitionSummaries, topicPartition } from "../../store/messages/messages.ts";
import type { Write } from "../../store/table/writes.ts";
import { mentionedGroups, mentionsChannel } from "../html-facts.ts";

/** Up to this many mentioned users get an index item each; with more, the message is listed as a broad mention. */
const maxIndividualMentions = 20;
/** With more participants, a direct message's transaction has no room for an index item per mention. */
const maxInTransaction = 50;
const messagesOfParticipants = 100;

/** A topic's participants: the senders of its newest messages. Costs at most 16 read units. */
export async function topicParticipants(channelId: number, topic: string): Promise<number[]> {
  const newest = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: messagesOfParticipants };
  const messages = await readPartitionSummaries("gsi2", topicPartition(channelId, topic), newest);
  return [...new Set(messages.map(({ senderId }) => senderId))].slice(0, maxInTransaction);
}

/**
 * Index items for a message's mentions: 3 write units per mentioned user; 2 in total for groups, a channel wildcard or very
 * many users. `participants` are the users that a topic wildcard mentions.
 */
export function mentionWrites(
  message: Message,
  mentionedUserIds: readonly number[],
  participants: readonly number[] = [],
): Write[] {
  const crowded = mentionedUserIds.length > maxIndividualMentions || (message.userIds?.length ?? 0) > maxInTransaction;
  const many = crowded && mentionedUserIds.length > 0;
  const broad = many || mentionsChannel(message) || mentionedGroups(message).length > 0;
  const singly = crowded ? [] : mentionedUserIds;
  const flagged = new Map<number, SparseFlag[]>(participants.map((userId) => [userId, ["topic_wildcard_mentioned"]]));
  for (const userId of singly) flagged.set(userId, [...(flagged.get(userId) ?? []), "mentioned"]);
  return [
    ...[...flagged].map(([userId, flags]) => addFlags(userId, message.id, flags)),
    ...(broad ? [putBroadMention(message.id)] : []),
  ];
}
