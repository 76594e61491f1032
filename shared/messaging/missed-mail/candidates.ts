import { listMembers } from "../../core/user-groups/members.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findSubscriptionsTo, listEmailSubscriberIds, listSubscriberIds } from "../../store/channels/subscriptions.ts";
import { listFollowerIds } from "../../store/channels/user-topics.ts";
import type { Message } from "../../store/messages/messages.ts";
import { findGroups } from "../../store/organization/groups.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/html-facts.ts";

/**
 * The users who may have to be e-mailed about one of some messages of one conversation, and bots among them. `emailUserIds` are
 * those who get e-mail about every message of their channels; `followers` are those who follow the topic. Messages of a channel
 * cost 1 read unit, 0.5 per 80 users who follow the topic, and 0.5 for each of `emailUserIds`; the channel's subscribers are read
 * only for a wildcard.
 */
export async function listCandidates(
  messages: readonly [Message, ...Message[]],
  realm: Realm,
  emailUserIds: readonly number[],
): Promise<{ candidates: Set<number>; followers: ReadonlySet<number> }> {
  const [{ channelId, topic = "", userIds = [] }] = messages;
  const [ids, followerIds] =
    channelId === undefined
      ? [userIds, []]
      : await Promise.all([
          listMentionedOrSubscribed(messages, channelId, emailUserIds, realm),
          listFollowerIds(channelId, topic),
        ]);
  const followers = new Set(followerIds);
  const candidates = new Set([...ids, ...followers]);
  const senderIds = new Set(messages.map(({ senderId }) => senderId));
  if (senderIds.size === 1) for (const id of senderIds) candidates.delete(id);
  return { candidates, followers };
}

async function listMentionedOrSubscribed(
  messages: readonly Message[],
  channelId: number,
  emailUserIds: readonly number[],
  realm: Realm,
): Promise<number[]> {
  const hasWildcard = messages.some((message) => mentionsChannel(message) || mentionsTopic(message));
  const groupIds = [...new Set(messages.flatMap(mentionedGroups))];
  const lists = await Promise.all([
    hasWildcard ? listSubscriberIds(channelId) : [],
    listEmailSubscriberIds(channelId),
    listSubscribersAmong(channelId, emailUserIds),
    listGroupMembers(groupIds, realm),
  ]);
  return [...messages.flatMap(mentionedUsers), ...lists.flat()];
}

async function listSubscribersAmong(channelId: number, userIds: readonly number[]): Promise<number[]> {
  const subscriptions = await findSubscriptionsTo(channelId, userIds);
  return userIds.filter((_, index) => subscriptions[index]?.active);
}

async function listGroupMembers(groupIds: readonly number[], realm: Realm): Promise<number[]> {
  const groups = groupIds.length > 0 ? await findGroups(groupIds) : [];
  const lists = await Promise.all(groups.map((group) => (group ? listMembers(group, false, realm) : [])));
  return lists.flat();
}
