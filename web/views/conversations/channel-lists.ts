import { compareTexts, t } from "../../base/languages/language.ts";
import {
  type Channel,
  type Conversation,
  conversationKey,
  type State,
  type Subscription,
  topicKey,
  visibilityPolicies,
} from "../../state/model.ts";
import { isTopicMuted } from "../../state/narrow.ts";
import type { RecentByKey } from "../../state/recent-by-key.ts";

/** Lists that several views derive from the state. */

export interface SubscribedChannel {
  channel: Channel;
  subscription: Subscription;
  /** The count of unread messages, without those in muted topics. */
  unread: number;
  /** How many unread messages mention the reader, also in muted topics. */
  mentions: number;
  /** The topics with unread messages, newest first. */
  topics: readonly TopicEntry[];
}

export interface TopicEntry {
  conversation: Conversation & { kind: "topic" };
  unread: number;
  /** How many of the unread messages mention the reader. */
  mentions: number;
  muted: boolean;
  followed: boolean;
  /** The ID of the newest message, or of the newest unread one if that is all that is known. */
  newest: number;
}

type TopicState = Pick<State, "unread" | "subscriptions" | "topicPolicies">;

export const noIds: ReadonlySet<number> = new Set();

/** How many messages are in both sets. */
function countOfBoth(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [smaller, larger] = a.size < b.size ? [a, b] : [b, a];
  let count = 0;
  for (const id of smaller) if (larger.has(id)) count++;
  return count;
}

export function topicEntry(
  conversation: Conversation & { kind: "topic" },
  ids: ReadonlySet<number>,
  newest: number,
  state: TopicState,
): TopicEntry {
  const { channelId, topic } = conversation;
  return {
    conversation,
    unread: ids.size,
    mentions: countOfBoth(ids, state.unread.mentions),
    muted: isTopicMuted(channelId, topic, state),
    followed: state.topicPolicies.get(topicKey(channelId, topic)) === visibilityPolicies.followed,
    newest,
  };
}

const highest = (ids: ReadonlySet<number>) => {
  let result = 0;
  for (const id of ids) result = Math.max(result, id);
  return result;
};

/**
 * The topics of a channel, newest first: those that are known, those with unread messages, and `shown`, which is on the screen
 * and may have no messages yet.
 */
export function topicsOf(
  entry: SubscribedChannel,
  known: RecentByKey,
  shown: (Conversation & { kind: "topic" }) | undefined,
  state: TopicState,
): TopicEntry[] {
  const byKey = new Map(entry.topics.map((topic) => [conversationKey(topic.conversation), topic]));
  for (const [key, { conversation, maxId }] of known) {
    const unreadTopic = byKey.get(key);
    if (unreadTopic) byKey.set(key, { ...unreadTopic, newest: Math.max(unreadTopic.newest, maxId) });
    else if (conversation.kind === "topic") byKey.set(key, topicEntry(conversation, noIds, maxId, state));
  }
  if (shown && !byKey.has(conversationKey(shown)))
    byKey.set(conversationKey(shown), topicEntry(shown, noIds, Number.POSITIVE_INFINITY, state));
  return [...byKey.values()].sort((a, b) => b.newest - a.newest);
}

/** The reader's channels: pinned ones first, muted ones last, each by name. */
export const sortedChannels = ({ channels, subscriptions }: Pick<State, "channels" | "subscriptions">) =>
  [...subscriptions.values()]
    .flatMap((subscription) => {
      const channel = channels.get(subscription.stream_id);
      return channel && !channel.is_archived ? [{ channel, subscription }] : [];
    })
    .sort(
      (a, b) =>
        Number(b.subscription.pin_to_top) - Number(a.subscription.pin_to_top) ||
        Number(a.subscription.is_muted) - Number(b.subscription.is_muted) ||
        compareTexts(a.channel.name, b.channel.name),
    );

/** Channels with what is unread in them. */
export function withUnreadTopics(sorted: ReturnType<typeof sortedChannels>, state: TopicState): SubscribedChannel[] {
  const topics = new Map<number, TopicEntry[]>();
  for (const { conversation, ids } of state.unread.byConversation.values()) {
    if (conversation.kind !== "topic" || ids.size === 0) continue;
    const list = topics.get(conversation.channelId) ?? [];
    list.push(topicEntry(conversation, ids, highest(ids), state));
    topics.set(conversation.channelId, list);
  }
  return sorted.map(({ channel, subscription }) => {
    const channelTopics = (topics.get(channel.stream_id) ?? []).sort((a, b) => b.newest - a.newest);
    const unread = channelTopics.filter(({ muted }) => !muted).reduce((sum, topic) => sum + topic.unread, 0);
    const mentions = channelTopics.reduce((sum, topic) => sum + topic.mentions, 0);
    return { channel, subscription, unread, mentions, topics: channelTopics };
  });
}

export const sortedSubscriptions = (state: TopicState & Pick<State, "channels">): SubscribedChannel[] =>
  withUnreadTopics(sortedChannels(state), state);

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
      byKey.set(key, { conversation, unread: ids.size, newest: highest(ids) });
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
/** The page asks for presences every four minutes. Until it should have an answer, those that it has are as of when they came. */
const maxPresenceAgeMs = 300_000;

export const presenceNames = () => ({ active: t("Active now"), idle: t("Idle"), offline: t("Away") });

/** Whether a user is active, idle or offline. */
export function presenceStatusOf(
  state: Pick<State, "presences" | "presencesAt">,
  userId: number,
  nowMs = Date.now(),
): "active" | "idle" | "offline" {
  const { server, receivedMs } = state.presencesAt;
  const ageMs = nowMs - receivedMs;
  const nowSeconds = server + (ageMs > maxPresenceAgeMs ? ageMs / 1000 : 0);
  const presence = state.presences.get(userId);
  if (!presence) return "offline";
  if (nowSeconds - presence.active < presenceSeconds) return "active";
  const isRecent = nowSeconds - Math.max(presence.idle, presence.active) < presenceSeconds;
  return isRecent ? "idle" : "offline";
}
