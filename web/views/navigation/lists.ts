import type { Channel, Conversation, State, Subscription } from "../../state/model.ts";
import { isTopicMuted } from "../../state/narrow.ts";

/** Lists that several views derive from the state. */

export interface SubscribedChannel {
  channel: Channel;
  subscription: Subscription;
  /** The count of unread messages, without those in muted topics. */
  unread: number;
  /** The topics with unread messages, newest first. `newest` is the ID of a topic's newest unread message. */
  topics: readonly { conversation: Conversation & { kind: "topic" }; unread: number; muted: boolean; newest: number }[];
}

/** The reader's channels: pinned ones first, muted ones last, each by name. */
export function sortedSubscriptions(state: State): SubscribedChannel[] {
  const topics = new Map<number, SubscribedChannel["topics"][number][]>();
  for (const { conversation, ids } of state.unread.byConversation.values()) {
    if (conversation.kind !== "topic") continue;
    const list = topics.get(conversation.channelId) ?? [];
    list.push({
      conversation,
      unread: ids.size,
      muted: isTopicMuted(conversation.channelId, conversation.topic, state),
      newest: Math.max(...ids),
    });
    topics.set(conversation.channelId, list);
  }
  return [...state.subscriptions.values()]
    .flatMap((subscription) => {
      const channel = state.channels.get(subscription.stream_id);
      if (!channel || channel.is_archived) return [];
      const channelTopics = (topics.get(channel.stream_id) ?? []).sort((a, b) => b.newest - a.newest);
      const unread = channelTopics.filter(({ muted }) => !muted).reduce((sum, topic) => sum + topic.unread, 0);
      return [{ channel, subscription, unread, topics: channelTopics }];
    })
    .sort(
      (a, b) =>
        Number(b.subscription.pin_to_top) - Number(a.subscription.pin_to_top) ||
        Number(a.subscription.is_muted) - Number(b.subscription.is_muted) ||
        a.channel.name.localeCompare(b.channel.name),
    );
}

export interface DirectConversation {
  conversation: Conversation & { kind: "direct" };
  unread: number;
  /** The ID of the newest message. */
  newest: number;
}

/** Direct message conversations, the newest first, without those in which everybody else is muted. */
export function directConversations(state: State): DirectConversation[] {
  const byKey = new Map<string, DirectConversation>();
  for (const [key, { conversation, maxId }] of state.recentDirect)
    byKey.set(key, { conversation, unread: state.unread.byConversation.get(key)?.ids.size ?? 0, newest: maxId });
  for (const [key, { conversation, ids }] of state.unread.byConversation)
    if (conversation.kind === "direct" && !byKey.has(key))
      byKey.set(key, { conversation, unread: ids.size, newest: Math.max(...ids) });
  return [...byKey.values()]
    .filter(({ conversation }) => !conversation.userIds.every((id) => state.mutedUsers.has(id)))
    .sort((a, b) => b.newest - a.newest);
}

/** The count of unread messages, without those of muted channels, topics and users. */
export function unreadCount(state: State): number {
  let count = 0;
  for (const { conversation, ids } of state.unread.byConversation.values()) {
    const muted =
      conversation.kind === "topic"
        ? isTopicMuted(conversation.channelId, conversation.topic, state)
        : conversation.userIds.every((id) => state.mutedUsers.has(id));
    if (!muted) count += ids.size;
  }
  return count;
}

/** How long a user counts as active or idle after a presence ping; the server's `server_presence_offline_threshold_seconds`. */
const presenceSeconds = 200;

/** Whether a user is active, idle or offline. */
export function presenceStatusOf(state: Pick<State, "presences">, userId: number, nowSeconds = Date.now() / 1000) {
  const presence = state.presences.get(userId);
  if (!presence) return "offline" as const;
  if (nowSeconds - presence.active < presenceSeconds) return "active" as const;
  const isRecent = nowSeconds - Math.max(presence.idle, presence.active) < presenceSeconds;
  return isRecent ? ("idle" as const) : ("offline" as const);
}
