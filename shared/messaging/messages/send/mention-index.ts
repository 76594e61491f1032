import { addFlags, type PlainFlag, putBroadMention } from "../../../store/messages/message-flags.ts";
import { type Message, readPartitionSummaries, topicPartition } from "../../../store/messages/messages.ts";
import type { Write } from "../../../store/table/writes.ts";
import { mentionedGroups, mentionsChannel } from "../html-facts.ts";

/** Up to this many mentioned users get an index item each; with more, the message is listed as a broad mention. */
const maxIndividualMentions = 20;
/**
 * With more participants, a direct message's transaction has no room for an index item per mention. A topic wildcard gets an
 * item for at most as many users.
 */
const maxParticipants = 50;
/** A topic's participants are looked for in this many of its newest messages. */
const maxLookbackMessages = 100;

/** Who sent a topic's newest messages. Costs at most 16 read units. */
export async function topicParticipants(channelId: number, topic: string): Promise<number[]> {
  const newestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: maxLookbackMessages };
  const messages = await readPartitionSummaries("gsi2", topicPartition(channelId, topic), newestFirst);
  return [...new Set(messages.map(({ senderId }) => senderId))].slice(0, maxParticipants);
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
  const hasTooMany =
    mentionedUserIds.length > maxIndividualMentions || (message.userIds?.length ?? 0) > maxParticipants;
  const isBroad =
    (hasTooMany && mentionedUserIds.length > 0) || mentionsChannel(message) || mentionedGroups(message).length > 0;
  const individualIds = hasTooMany ? [] : mentionedUserIds;
  const flagsByUser = new Map<number, PlainFlag[]>(
    participants.map((userId) => [userId, ["topic_wildcard_mentioned"]]),
  );
  for (const userId of individualIds) flagsByUser.set(userId, [...(flagsByUser.get(userId) ?? []), "mentioned"]);
  return [
    ...[...flagsByUser].map(([userId, flags]) => addFlags(userId, message.id, flags)),
    ...(isBroad ? [putBroadMention(message.id)] : []),
  ];
}
