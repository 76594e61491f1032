import {
  bool,
  int,
  list,
  nullable,
  oneOf,
  oneOfInts,
  optional,
  shapeOf,
  strictObject,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { administrators, fullMembers, moderators } from "../../base/schema/system-groups.ts";
import { type ChannelWithStats, channelPermissionNames, topicsPolicies } from "../../store/channels/channels.ts";
import type { Subscription } from "../../store/channels/subscriptions.ts";
import { groupSettingValue } from "../user-groups/wire.ts";
import { isRecentlyActive, weeklyTraffic } from "./traffic.ts";

/** A channel's permissions in replies and events. */
const channelPermissionFields = shapeOf(channelPermissionNames, groupSettingValue());

const channelFields = {
  stream_id: int(),
  name: text(),
  description: text(),
  rendered_description: text(),
  date_created: int(),
  creator_id: nullable(int()),
  invite_only: bool(),
  is_web_public: bool(),
  history_public_to_subscribers: bool(),
  message_retention_days: nullable(int()),
  first_message_id: nullable(int()),
  folder_id: nullable(int()),
  topics_policy: oneOf(topicsPolicies),
  is_recently_active: bool(),
  is_archived: bool(),
  is_announcement_only: bool(),
  stream_post_policy: oneOfInts([1, 2, 3, 4]),
  stream_weekly_traffic: nullable(int()),
  subscriber_count: int(),
  ...channelPermissionFields,
};
const subscriberFields = { subscribers: optional(list(int())), partial_subscribers: optional(list(int())) };

/** The channel object; see https://zulip.com/api/get-streams. */
export const channelObject = strictObject(channelFields);
export type ChannelObject = Value<typeof channelObject>;

/** The channel object in `GET /streams`, which may include whether it is a default channel. */
export const listedChannelObject = strictObject({ ...channelFields, is_default: optional(bool()) });

export const neverSubscribedObject = strictObject({ ...channelFields, ...subscriberFields });

/** The subscription object: the channel with the user's own settings for it. */
export const subscriptionObject = strictObject({
  ...channelFields,
  color: text(),
  is_muted: bool(),
  in_home_view: bool(),
  pin_to_top: bool(),
  desktop_notifications: nullable(bool()),
  audible_notifications: nullable(bool()),
  push_notifications: nullable(bool()),
  email_notifications: nullable(bool()),
  wildcard_mentions_notify: nullable(bool()),
  ...subscriberFields,
});
export type SubscriptionObject = Value<typeof subscriptionObject>;

const policies: Record<number, 2 | 3 | 4> = { [administrators]: 2, [fullMembers]: 3, [moderators]: 4 };

/** The legacy `stream_post_policy`: 1 anyone, 2 administrators, 3 full members, 4 moderators. */
export const postPolicy = (permission: ChannelWithStats["permissions"]["can_send_message_group"]) =>
  (typeof permission === "number" && policies[permission]) || 1;

export function toChannelWire(channel: ChannelWithStats): ChannelObject {
  const { permissions, stats } = channel;
  const policy = postPolicy(permissions.can_send_message_group);
  return {
    stream_id: channel.id,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.renderedDescription,
    date_created: channel.createdAt,
    creator_id: channel.creatorId,
    invite_only: channel.inviteOnly,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.historyPublicToSubscribers,
    message_retention_days: channel.messageRetentionDays,
    first_message_id: stats.firstMessageId ?? null,
    folder_id: channel.folderId,
    topics_policy: channel.topicsPolicy,
    is_recently_active: isRecentlyActive(channel),
    is_archived: channel.isArchived,
    is_announcement_only: policy === 2,
    stream_post_policy: policy,
    stream_weekly_traffic: weeklyTraffic(channel),
    subscriber_count: stats.subscriberCount,
    ...permissions,
  };
}

/** A user's general notification settings, which replace null for clients that do not support it. */
export type NotificationDefaults = Record<
  `${"desktop" | "audible" | "push" | "email"}_notifications` | "wildcard_mentions_notify",
  boolean
>;

export const toSubscriptionWire = (
  channel: ChannelWithStats,
  subscription: Subscription,
  defaults?: NotificationDefaults,
): SubscriptionObject => ({ ...toChannelWire(channel), ...toSubscriptionSettingsWire(subscription, defaults) });

/** A subscriber's own settings of a channel. */
export const toSubscriptionSettingsWire = (subscription: Subscription, defaults?: NotificationDefaults) => ({
  color: subscription.color,
  is_muted: subscription.isMuted,
  in_home_view: !subscription.isMuted,
  pin_to_top: subscription.pinToTop,
  desktop_notifications: subscription.desktopNotifications ?? defaults?.desktop_notifications ?? null,
  audible_notifications: subscription.audibleNotifications ?? defaults?.audible_notifications ?? null,
  push_notifications: subscription.pushNotifications ?? defaults?.push_notifications ?? null,
  email_notifications: subscription.emailNotifications ?? defaults?.email_notifications ?? null,
  wildcard_mentions_notify: subscription.wildcardMentionsNotify ?? defaults?.wildcard_mentions_notify ?? null,
});
