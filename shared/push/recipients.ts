import { holds } from "../groups/rules.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/facts.ts";
import { isWithin } from "../messages/periods.ts";
import type { Realm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { findAccounts } from "../store/accounts.ts";
import { findGroupGraph, findGroups } from "../store/groups.ts";
import { findFlags } from "../store/message-flags.ts";
import type { Message } from "../store/messages.ts";
import { listMuterIds } from "../store/muted-users.ts";
import { findPresences, type Presence } from "../store/presence.ts";
import { findMarkedAsRead } from "../store/read-state.ts";
import { findSubscriptionsTo, type Subscription } from "../store/subscriptions.ts";
import { findSettingsOfUsers } from "../store/user-settings.ts";
import { findChoicesForTopic, type VisibilityPolicy } from "../store/user-topics.ts";
import { callerOf } from "../users/access.ts";
import { profilesOf } from "../users/profiles.ts";
import { effectiveUserSettings, type UserSettings } from "../users/settings.ts";

/** Somebody who is to be told of a message; the group, where only its mention is why. */
export interface Recipient {
  userId: number;
  group?: { id: number; name: string };
  standing: Standing;
}

/** What decides whether one person is told of a message. */
export interface Standing {
  settings: UserSettings;
  subscription: Subscription | undefined;
  policy: VisibilityPolicy | undefined;
  presence: Presence | undefined;
  mentioned: boolean;
  inMentionedGroup: boolean;
  /** By a wildcard, of the channel or of a topic in which they take part. */
  inWildcard: boolean;
}

type Kind = Pick<Message, "channelId">;
/** Whether a message concerns somebody so that they are told of it in some way. Pure. */
export type Wish = (message: Kind, standing: Standing, nowSeconds: number) => boolean;

export const isAway = ({ presence }: Pick<Standing, "presence">, nowSeconds: number) =>
  nowSeconds - (presence?.lastActive ?? 0) > offlineAfterSeconds;

/** Whether their devices are told. */
export const isTold: Wish = (message, standing, nowSeconds) => {
  const { settings, subscription } = standing;
  if (!settings.enable_online_push_notifications && !isAway(standing, nowSeconds)) return false;
  return concerns(message, standing, {
    offline: settings.enable_offline_push_notifications,
    followed: settings.enable_followed_topic_push_notifications,
    channel: subscription?.pushNotifications ?? settings.enable_stream_push_notifications,
  });
};

/** Whether they are told by e-mail, once they are away. */
export const isMailed: Wish = (message, standing) => {
  const { settings, subscription } = standing;
  return concerns(message, standing, {
    offline: settings.enable_offline_email_notifications,
    followed: settings.enable_followed_topic_email_notifications,
    channel: subscription?.emailNotifications ?? settings.enable_stream_email_notifications,
  });
};

/** `wants` is what they chose for direct messages and mentions, for followed topics, and for the channel. */
function concerns(
  message: Kind,
  { settings, subscription, policy, mentioned, inMentionedGroup, inWildcard }: Standing,
  wants: Record<"offline" | "followed" | "channel", boolean>,
): boolean {
  if (mentioned || inMentionedGroup || message.channelId === undefined) return wants.offline;
  if (!subscription) return false;
  const followed = policy === 3;
  const muted = policy === undefined ? subscription.isMuted : policy === 1;
  const wantsWildcard =
    (followed && settings.enable_followed_topic_wildcard_mentions_notify) ||
    (!muted && (subscription.wildcardMentionsNotify ?? settings.wildcard_mentions_notify));
  if (inWildcard && wantsWildcard && wants.offline) return true;
  return (followed && wants.followed) || (!muted && wants.channel);
}

/**
 * Those among some people who are to be told of a message: who received it, has not read it and wants to know. About 3
 * read units for each who received it, 0.5 for each other.
 */
export async function recipientsAmong(
  ids: readonly number[],
  message: Message,
  realm: Realm,
  wish: Wish,
): Promise<Recipient[]> {
  const { channelId, topic = "", senderId } = message;
  const muters = new Set(await listMuterIds(senderId));
  const others = ids.filter((id) => id !== senderId && !muters.has(id));
  const subscriptions = channelId === undefined ? [] : await findSubscriptionsTo(channelId, others);
  const subscriptionOf = new Map(subscriptions.flatMap((one) => (one ? [[one.userId, one]] : [])));
  const reached =
    channelId === undefined ? others : others.filter((id) => isWithin(subscriptionOf.get(id)?.periods ?? [], message));
  const [users, settings, presences, choices, groups] = await Promise.all([
    profilesOf(reached, realm.usersVersion),
    findSettingsOfUsers(reached),
    findPresences(reached),
    channelId === undefined ? [] : findChoicesForTopic(reached, channelId, topic),
    mentionedGroupOf(reached, message, realm),
  ]);
  const mentioned = new Set(mentionedUsers(message));
  const called = await calledByWildcard(reached, message);
  const now = Date.now() / 1000;
  const told = reached.flatMap((userId, index): Recipient[] => {
    const user = users.get(userId);
    if (!user?.active || user.botType !== undefined) return [];
    const standing: Standing = {
      settings: effectiveUserSettings(settings[index]),
      subscription: subscriptionOf.get(userId),
      policy: choices[index]?.policy,
      presence: presences[index],
      mentioned: mentioned.has(userId),
      inMentionedGroup: groups.has(userId),
      inWildcard: called.has(userId),
    };
    const group = standing.mentioned ? undefined : groups.get(userId);
    return wish(message, standing, now) ? [{ userId, standing, ...(group && { group }) }] : [];
  });
  const toldIds = told.map(({ userId }) => userId);
  const readers = new Set(await findMarkedAsRead(message.id, toldIds));
  return told.filter(({ userId }) => !readers.has(userId));
}

/** Whom a wildcard means: all, or of a topic those who were flagged as taking part; reads nothing unless it is of a topic. */
async function calledByWildcard(ids: readonly number[], message: Message): Promise<Set<number>> {
  if (mentionsChannel(message)) return new Set(ids);
  if (!mentionsTopic(message)) return new Set();
  const flags = await Promise.all(ids.map((id) => findFlags(id, [message.id])));
  return new Set(ids.filter((_, index) => flags[index]?.get(message.id)?.has("topic_wildcard_mentioned")));
}

/** The first mentioned group that each of some users belongs to; reads nothing unless a group is mentioned. */
async function mentionedGroupOf(ids: readonly number[], message: Message, realm: Realm) {
  const found = new Map<number, { id: number; name: string }>();
  const groupIds = mentionedGroups(message);
  if (groupIds.length === 0 || ids.length === 0) return found;
  const [graph, groups, users] = await Promise.all([
    findGroupGraph(),
    findGroups(groupIds),
    profilesOf(ids, realm.usersVersion),
  ]);
  const accounts = await findAccounts(ids.flatMap((id) => users.get(id)?.email ?? []));
  for (const account of accounts) {
    const holder = account && callerOf(account);
    const group = groups.find(
      (each) => each && holder && holds(holder, each.id, graph, realm.settings.waiting_period_threshold),
    );
    if (holder && group) found.set(holder.id, { id: group.id, name: group.name });
  }
  return found;
}
