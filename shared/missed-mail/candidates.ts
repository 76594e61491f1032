import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/html-facts.ts";
import type { Realm } from "../organization/access.ts";
import { listEmailSubscriberIds, listSubscriberIdsAfter } from "../store/channels/subscriptions.ts";
import { listFollowerIds } from "../store/channels/user-topics.ts";
import type { Message } from "../store/messages/messages.ts";
import { findGroups } from "../store/organization/groups.ts";
import { listEmailUserIds } from "../store/users/user-settings.ts";
import { listMembers } from "../user-groups/members.ts";

/**
 * The IDs of users who may have to be e-mailed about a message: at most `limit`, above `after`, ascending; and whether these
 * are the last. A message with a channel or topic wildcard reads the channel's subscribers; other channel messages cost 1.5
 * read units, and 1 per 80 users who follow the topic or get e-mail about every message.
 */
export async function listCandidates(
  message: Message,
  realm: Realm,
  after: number,
  limit: number,
): Promise<{ ids: number[]; isLast: boolean }> {
  const { channelId, userIds = [] } = message;
  if (channelId !== undefined && (mentionsChannel(message) || mentionsTopic(message))) {
    const ids = await listSubscriberIdsAfter(channelId, after, limit);
    return { ids, isLast: ids.length < limit };
  }
  const candidateIds = channelId === undefined ? userIds : await listMentionedOrSubscribed(message, channelId, realm);
  const ids = [...new Set(candidateIds)].filter((id) => id > after).sort((a, b) => a - b);
  return { ids: ids.slice(0, limit), isLast: ids.length <= limit };
}

/** May contain duplicates. */
async function listMentionedOrSubscribed(message: Message, channelId: number, realm: Realm): Promise<number[]> {
  const groups = await findGroups(mentionedGroups(message));
  const lists = await Promise.all([
    listFollowerIds(channelId, message.topic ?? ""),
    listEmailSubscriberIds(channelId),
    listEmailUserIds(),
    ...groups.map((group) => (group ? listMembers(group, false, realm) : [])),
  ]);
  return [...mentionedUsers(message), ...lists.flat()];
}
