import { allMembers } from "../groups/members.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/facts.ts";
import type { Realm } from "../organization/access.ts";
import { findGroups } from "../store/groups.ts";
import type { Message } from "../store/messages.ts";
import { listMailedSubscriberIds, pageOfSubscriberIds } from "../store/subscriptions.ts";
import { findTopic } from "../store/topics.ts";
import { listMailedUserIds } from "../store/user-settings.ts";
import { listFollowerIds } from "../store/user-topics.ts";

/**
 * Those whom mail of a message may concern, with IDs above `after`, at most `limit`, ascending. Subscribers are looked
 * through only when a wildcard calls them all: for any other message of a channel it is 2 read units, however many
 * have subscribed, and about 1 for each 80 of those who want mail of all messages or follow the topic.
 */
export async function candidatesFor(
  message: Message,
  realm: Realm,
  after: number,
  limit: number,
): Promise<{ ids: number[]; isLast: boolean }> {
  const { channelId, userIds = [] } = message;
  if (channelId !== undefined && (mentionsChannel(message) || mentionsTopic(message))) {
    const ids = await pageOfSubscriberIds(channelId, after, limit);
    return { ids, isLast: ids.length < limit };
  }
  const all = channelId === undefined ? userIds : await namedOrListening(message, channelId, realm);
  const ids = [...new Set(all)].filter((id) => id > after).sort((a, b) => a - b);
  return { ids: ids.slice(0, limit), isLast: ids.length <= limit };
}

async function namedOrListening(message: Message, channelId: number, realm: Realm): Promise<number[]> {
  const topic = message.topic ?? "";
  const [begun, groups] = await Promise.all([findTopic(channelId, topic), findGroups(mentionedGroups(message))]);
  const lists = await Promise.all([
    listFollowerIds(channelId, topic),
    listMailedSubscriberIds(channelId),
    listMailedUserIds(),
    ...groups.map((group) => (group ? allMembers(group, false, realm) : [])),
  ]);
  return [...mentionedUsers(message), ...(begun?.begunBy ?? []), ...lists.flat()];
}
