import { effectiveUserSettings, type UserSettings } from "../../base/schema/user-settings.ts";
import { isWithin } from "../../core/channels/periods.ts";
import { offlineAfterSeconds } from "../../core/presence/rules.ts";
import { toCaller } from "../../services/identity/access.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Realm } from "../../services/organization/access.ts";
import { welcomeBotId } from "../../services/organization/system-bots.ts";
import { isPermitted } from "../../services/permissions/rules.ts";
import { findSubscriptionsTo, type Subscription } from "../../store/channels/subscriptions.ts";
import { findUserTopicsForUsers, type VisibilityPolicy, visibilityPolicies } from "../../store/channels/user-topics.ts";
import { findFlags } from "../../store/messages/message-flags.ts";
import type { Message } from "../../store/messages/messages.ts";
import { findMarkedAsRead } from "../../store/messages/read-state.ts";
import { findGroupGraph, findGroups } from "../../store/organization/groups.ts";
import { findAccounts } from "../../store/users/accounts.ts";
import { listMuterIds } from "../../store/users/muted-users.ts";
import { findPresences, type Presence } from "../../store/users/presence.ts";
import { findSettingsOfUsers } from "../../store/users/user-settings.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/html-facts.ts";

/** A user to be notified of a message; `group` if only the mention of that group is the reason. */
export interface Recipient {
  userId: number;
  group?: { id: number; name: string };
  context: NotificationContext;
}

/** What decides whether one user is notified of a message. */
interface NotificationContext {
  settings: UserSettings;
  subscription: Subscription | undefined;
  policy: VisibilityPolicy | undefined;
  presence: Presence | undefined;
  mentioned: boolean;
  inMentionedGroup: boolean;
  /** Mentioned by a wildcard of the channel, or of a topic in which they participate. */
  inWildcard: boolean;
}

type MessageKind = Pick<Message, "channelId">;
/** Whether a user is to get one kind of notification, push or mail, of a message. Pure. */
type RecipientRule = (message: MessageKind, context: NotificationContext, nowSeconds: number) => boolean;

/** Whether nobody is notified of a message by mail or on a device: Welcome Bot's are meant for those who have just come. */
export const isQuiet = ({ senderId }: Pick<Message, "senderId">, realm: Realm) => senderId === welcomeBotId(realm);

/** Nobody is notified of older messages, which an outage has delayed. */
const staleAfterSeconds = 3600;

export const isStale = ({ sentAt }: Pick<Message, "sentAt">) => Date.now() / 1000 - sentAt > staleAfterSeconds;

export const isAway = ({ presence }: Pick<NotificationContext, "presence">, nowSeconds: number) =>
  nowSeconds - (presence?.lastActive ?? 0) > offlineAfterSeconds;

/** Whether the user's devices are to be notified now. */
export const wantsPush: RecipientRule = (message, context, nowSeconds) => {
  const { settings, subscription } = context;
  if (!settings.enable_online_push_notifications && !isAway(context, nowSeconds)) return false;
  return wantsNotification(message, context, {
    offline: settings.enable_offline_push_notifications,
    followed: settings.enable_followed_topic_push_notifications,
    channel: subscription?.pushNotifications ?? settings.enable_stream_push_notifications,
  });
};

/** Whether the user is to be mailed once they are away. */
export const wantsMail: RecipientRule = (message, context) => {
  const { settings, subscription } = context;
  return wantsNotification(message, context, {
    offline: settings.enable_offline_email_notifications,
    followed: settings.enable_followed_topic_email_notifications,
    channel: subscription?.emailNotifications ?? settings.enable_stream_email_notifications,
  });
};

/** `settingFor`: the user's settings for direct messages and mentions, for followed topics, and for the channel. */
function wantsNotification(
  message: MessageKind,
  { settings, subscription, policy: visibilityPolicy, mentioned, inMentionedGroup, inWildcard }: NotificationContext,
  settingFor: Record<"offline" | "followed" | "channel", boolean>,
): boolean {
  if (mentioned || inMentionedGroup || message.channelId === undefined) return settingFor.offline;
  if (!subscription) return false;
  // Zulip's numbers for the policies: 1 muted, 3 followed.
  const followed = visibilityPolicy === visibilityPolicies.followed;
  const muted = visibilityPolicy === undefined ? subscription.isMuted : visibilityPolicy === visibilityPolicies.muted;
  const wantsWildcard =
    (followed && settings.enable_followed_topic_wildcard_mentions_notify) ||
    (!muted && (subscription.wildcardMentionsNotify ?? settings.wildcard_mentions_notify));
  if (inWildcard && wantsWildcard && settingFor.offline) return true;
  return (followed && settingFor.followed) || (!muted && settingFor.channel);
}

/**
 * The users among `ids` to notify of a message: those who received it, have not read it and want notifications. Costs about 3
 * read units per user who received it, 0.5 per other user.
 */
export async function findRecipients(
  ids: readonly number[],
  message: Message,
  realm: Realm,
  rule: RecipientRule,
): Promise<Recipient[]> {
  const { channelId, topic = "", senderId } = message;
  if (isQuiet(message, realm) || ids.every((id) => id === senderId)) return [];
  const muters = new Set(await listMuterIds(senderId));
  const recipientIds = ids.filter((id) => id !== senderId && !muters.has(id));
  const subscriptions = channelId === undefined ? [] : await findSubscriptionsTo(channelId, recipientIds);
  const subscriptionOf = new Map(subscriptions.flatMap((one) => (one ? [[one.userId, one]] : [])));
  const receivers =
    channelId === undefined
      ? recipientIds
      : recipientIds.filter((id) => isWithin(subscriptionOf.get(id)?.periods ?? [], message));
  const [users, settings, presences, topicPolicies, groups] = await Promise.all([
    findCachedProfiles(receivers, realm.usersVersion),
    findSettingsOfUsers(receivers),
    findPresences(receivers),
    channelId === undefined ? [] : findUserTopicsForUsers(receivers, channelId, topic),
    findMentionedGroups(receivers, message, realm),
  ]);
  const mentioned = new Set(mentionedUsers(message));
  const wildcardMentioned = await findWildcardMentioned(receivers, message);
  const now = Date.now() / 1000;
  const candidates = receivers.flatMap((userId, index): Recipient[] => {
    const user = users.get(userId);
    if (!user?.active || user.botType !== undefined) return [];
    const context: NotificationContext = {
      settings: effectiveUserSettings(settings[index]),
      subscription: subscriptionOf.get(userId),
      policy: topicPolicies[index]?.policy,
      presence: presences[index],
      mentioned: mentioned.has(userId),
      inMentionedGroup: groups.has(userId),
      inWildcard: wildcardMentioned.has(userId),
    };
    const group = context.mentioned ? undefined : groups.get(userId);
    return rule(message, context, now) ? [{ userId, context, ...(group && { group }) }] : [];
  });
  const candidateIds = candidates.map(({ userId }) => userId);
  const readers = await findMarkedAsRead([message.id], candidateIds);
  return candidates.filter(({ userId }) => !readers.has(userId));
}

/** The users whom a wildcard mentions: all, or the topic's flagged participants. Reads only for topic wildcards. */
async function findWildcardMentioned(ids: readonly number[], message: Message): Promise<Set<number>> {
  if (mentionsChannel(message)) return new Set(ids);
  if (!mentionsTopic(message)) return new Set();
  const flags = await Promise.all(ids.map((id) => findFlags(id, [message.id])));
  return new Set(ids.filter((_, index) => flags[index]?.get(message.id)?.has("topic_wildcard_mentioned")));
}

/** The first mentioned group of which each user is a member. Reads only if a group is mentioned. */
async function findMentionedGroups(ids: readonly number[], message: Message, realm: Realm) {
  const groupsByUser = new Map<number, { id: number; name: string }>();
  const groupIds = mentionedGroups(message);
  if (groupIds.length === 0 || ids.length === 0) return groupsByUser;
  const [graph, groups, users] = await Promise.all([
    findGroupGraph(),
    findGroups(groupIds),
    findCachedProfiles(ids, realm.usersVersion),
  ]);
  const accounts = await findAccounts(ids.flatMap((id) => users.get(id)?.email ?? []));
  for (const account of accounts) {
    const person = account && toCaller(account);
    const group = groups.find(
      (each) => each && person && isPermitted(person, each.id, graph, realm.settings.waiting_period_threshold),
    );
    if (person && group) groupsByUser.set(person.id, { id: group.id, name: group.name });
  }
  return groupsByUser;
}
