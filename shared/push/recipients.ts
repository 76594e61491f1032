import { holds } from "../groups/rules.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/facts.ts";
import { wasSubscribed } from "../messages/reader.ts";
import type { Realm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { findAccounts } from "../store/accounts.ts";
import { findGroupGraph, findGroups } from "../store/groups.ts";
import type { Message } from "../store/messages.ts";
import { listMuterIds } from "../store/muted-users.ts";
import { findPresences, type Presence } from "../store/presence.ts";
import { findReadMarks } from "../store/read-state.ts";
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
}

/** What decides whether one person is told of a message. */
export interface Standing {
  settings: UserSettings;
  subscription: Subscription | undefined;
  policy: VisibilityPolicy | undefined;
  presence: Presence | undefined;
  mentioned: boolean;
  inMentionedGroup: boolean;
}

/** Whether a message of this kind concerns somebody so that their devices are told. Pure. */
export function isTold(message: Pick<Message, "channelId" | "html">, standing: Standing, nowSeconds: number): boolean {
  const { settings, subscription, policy, presence, mentioned, inMentionedGroup } = standing;
  const isAway = nowSeconds - (presence?.lastActive ?? 0) > offlineAfterSeconds;
  if (!isAway && !settings.enable_online_push_notifications) return false;
  if (mentioned || inMentionedGroup || message.channelId === undefined)
    return settings.enable_offline_push_notifications;
  if (!subscription) return false;
  const followed = policy === 3;
  const muted = policy === undefined ? subscription.isMuted : policy === 1;
  if (mentionsChannel(message) || mentionsTopic(message)) {
    const wanted =
      (followed && settings.enable_followed_topic_wildcard_mentions_notify) ||
      (!muted && (subscription.wildcardMentionsNotify ?? settings.wildcard_mentions_notify));
    if (wanted && settings.enable_offline_push_notifications) return true;
  }
  if (followed && settings.enable_followed_topic_push_notifications) return true;
  return !muted && (subscription.pushNotifications ?? settings.enable_stream_push_notifications);
}

/**
 * Those among some owners of devices who are to be told of a message: who received it, has not read it and wants to
 * know. About 3 read units for each who received it, 0.5 for each other.
 */
export async function recipientsAmong(ids: readonly number[], message: Message, realm: Realm): Promise<Recipient[]> {
  const { channelId, topic = "", senderId } = message;
  const muters = new Set(await listMuterIds(senderId));
  const others = ids.filter((id) => id !== senderId && !muters.has(id));
  const subscriptions = channelId === undefined ? [] : await findSubscriptionsTo(channelId, others);
  const subscriptionOf = new Map(subscriptions.flatMap((one) => (one ? [[one.userId, one]] : [])));
  const reached =
    channelId === undefined ? others : others.filter((id) => wasSubscribed(subscriptionOf.get(id), message.id));
  const [users, settings, presences, choices, groups] = await Promise.all([
    profilesOf(reached, realm.usersVersion),
    findSettingsOfUsers(reached),
    findPresences(reached),
    channelId === undefined ? [] : findChoicesForTopic(reached, channelId, topic),
    mentionedGroupOf(reached, message, realm),
  ]);
  const mentioned = new Set(mentionedUsers(message));
  // A wildcard in a direct message is everybody's mention.
  const now = Date.now() / 1000;
  const told = reached.filter((id, index) => {
    const user = users.get(id);
    if (!user?.active || user.botType !== undefined) return false;
    return isTold(
      message,
      {
        settings: effectiveUserSettings(settings[index]),
        subscription: subscriptionOf.get(id),
        policy: choices[index]?.policy,
        presence: presences[index],
        mentioned: mentioned.has(id),
        inMentionedGroup: groups.has(id),
      },
      now,
    );
  });
  const unread = await Promise.all(
    told.map(async (id) => (await findReadMarks(id, [message.id])).of(message.id) !== true),
  );
  return told
    .filter((_, index) => unread[index])
    .map((userId) => {
      const group = mentioned.has(userId) ? undefined : groups.get(userId);
      return { userId, ...(group && { group }) };
    });
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
