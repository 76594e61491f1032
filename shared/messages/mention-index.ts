import { putBroadMention } from "../store/broad-mentions.ts";
import { addFlags, type SparseFlag } from "../store/message-flags.ts";
import { type Message, readPartitionBriefly, topicPartition } from "../store/messages.ts";
import type { Write } from "../store/writes.ts";
import { mentionedGroups, mentionsChannel } from "./facts.ts";

/** So many people are told of a mention one by one; more are found through the list of broad mentions. */
const mostSingly = 20;
/** With more participants than these, a direct message's transaction has no room for mentions one by one. */
const mostInTransaction = 50;
const messagesOfParticipants = 100;

/** Who takes part in a topic: those who wrote its newest messages. At most 16 read units. */
export async function topicParticipants(channelId: number, topic: string): Promise<number[]> {
  const newest = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: messagesOfParticipants };
  const messages = await readPartitionBriefly("gsi2", topicPartition(channelId, topic), newest);
  return [...new Set(messages.map(({ senderId }) => senderId))].slice(0, mostInTransaction);
}

/**
 * What makes a message's mentions findable: 3 write units for each person who is mentioned, 2 when the mention is of
 * groups, of a channel or of very many people. `participants` are those whom a mention of the topic means. An edit adds
 * the same for those who are mentioned newly.
 */
export function mentionWrites(
  message: Message,
  mentionedUserIds: readonly number[],
  participants: readonly number[] = [],
): Write[] {
  const crowded = mentionedUserIds.length > mostSingly || (message.userIds?.length ?? 0) > mostInTransaction;
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
