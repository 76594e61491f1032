import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/html-facts.ts";
import type { Realm } from "../organization/access.ts";
import { listEmailSubscriberIds, listSubscriberIds } from "../store/channels/subscriptions.ts";
import { listFollowerIds } from "../store/channels/user-topics.ts";
import type { Message } from "../store/messages/messages.ts";
import { findGroups } from "../store/organization/groups.ts";
import { listMembers } from "../user-groups/members.ts";

/**
 * The users who may have to be e-mailed about one of some messages of one conversation, and bots among them. `emailUserIds` are
 * those who get e-mail about every message of their channels. Messages of a channel cost 1 read unit, and 1 per 80 users who
 * follow the topic or get e-mail about every message; the channel's subscribers are read only for a wildcard.
 */
export async function listCandidates(
  messages: readonly [Message, ...Message[]],
  realm: Realm,
  emailUserIds: readonly number[],
): Promise<Set<number>> {
  const [{ channelId, topic = "", userIds = [] }] = messages;
  const ids =
    channelId === undefined
      ? userIds
      : [...emailUserIds, ...(await listMentionedOrSubscribed(messages, { channelId, topic, realm }))];
  const candidates = new Set(ids);
  const senderIds = new Set(messages.map(({ senderId }) => senderId));
  if (senderIds.size === 1) for (const id of senderIds) candidates.delete(id);
  return candidates;
}

async function listMentionedOrSubscribed(
  messages: readonly Message[],
  { channelId, topic, realm }: { channelId: number; topic: string; realm: Realm },
): Promise<number[]> {
  const hasWildcard = messages.some((message) => mentionsChannel(message) || mentionsTopic(message));
  const groupIds = [...new Set(messages.flatMap(mentionedGroups))];
  const lists = await Promise.all([
    hasWildcard ? listSubscriberIds(channelId) : [],
    listFollowerIds(channelId, topic),
    listEmailSubscriberIds(channelId),
    listGroupMembers(groupIds, realm),
  ]);
  return [...messages.flatMap(mentionedUsers), ...lists.flat()];
}

async function listGroupMembers(groupIds: readonly number[], realm: Realm): Promise<number[]> {
  const groups = groupIds.length > 0 ? await findGroups(groupIds) : [];
  const lists = await Promise.all(groups.map((group) => (group ? listMembers(group, false, realm) : [])));
  return lists.flat();
}
