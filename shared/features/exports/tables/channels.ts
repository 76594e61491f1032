import { realmId } from "../../../base/limits.ts";
import { type ChannelPermissions, type ChannelWithStats, listChannels } from "../../../store/channels/channels.ts";
import { listSubscriberIds, type Period, type Subscription } from "../../../store/channels/subscriptions.ts";
import type { Context } from "../context.ts";
import type { Phase } from "../page.ts";
import { subscriptionEventNumbers, topicsPolicyNumbers } from "../zulip-numbers.ts";
import { groupIdsOf, recipientId, recipientRow, recipientTypes, userIdOf } from "./references.ts";

/** A color that says nothing of anybody's choice. */
const neutralColor = "#c2c2c2";
/** Bound a page's memory and time. */
const [maxRowsPerPage, maxChannelsPerPage] = [10_000, 1000];
const channelsPerRead = 100;

/** Channels with their subscribers; those who consent have their subscriptions written by `subscriptionRows`. */
export const channelsPhase: Phase = async (at, context) => {
  const { lists, scope } = context;
  const channels = await listChannels();
  const consenting = new Set(context.consentingIds);
  let index = at;
  for (const first = lists.count("zerver_subscription"); index < channels.length; index++) {
    const isFull = lists.count("zerver_subscription") > first + maxRowsPerPage || index === at + maxChannelsPerPage;
    if (isFull) return { next: index };
    const channel = channels[index] as ChannelWithStats;
    if ((index - at) % channelsPerRead === 0)
      await scope.load(channels.slice(index, index + channelsPerRead).map(({ id }) => id));
    if (!scope.includesChannel(channel.id)) continue;
    await lists.add("zerver_stream", [await toChannelRow(channel, context)]);
    await lists.add("zerver_recipient", [recipientRow(recipientTypes.channel, channel.id)]);
    const subscriberIds = (await listSubscriberIds(channel.id)).filter(
      (id) => userIdOf(id, context) !== null && !consenting.has(id),
    );
    const now: Period[] = [[context.lastMessageId + 1]];
    await lists.add(
      "zerver_realmauditlog",
      subscriberIds.flatMap((userId) => subscriptionEvents({ userId, channelId: channel.id, periods: now }, context)),
    );
    await lists.add(
      "zerver_subscription",
      subscriberIds.map((user_profile) => ({
        ...{ user_profile, recipient: recipientId(recipientTypes.channel, channel.id) },
        ...{ active: true, is_user_active: true, color: neutralColor },
      })),
    );
  }
  return {};
};

async function toChannelRow(channel: ChannelWithStats, context: Context) {
  const { id, name, description, stats } = channel;
  const permissions = Object.keys(channel.permissions) as (keyof ChannelPermissions)[];
  const folders = await context.lists.ids("zerver_channelfolder");
  return {
    ...{ id, realm: realmId, name, description, rendered_description: channel.renderedDescription },
    ...{ date_created: channel.createdAt, creator: userIdOf(channel.creatorId, context) },
    ...{ deactivated: channel.isArchived, invite_only: channel.inviteOnly, is_web_public: channel.isWebPublic },
    history_public_to_subscribers: channel.historyPublicToSubscribers,
    message_retention_days: channel.messageRetentionDays,
    first_message_id: stats.firstMessageId ?? null,
    subscriber_count: stats.subscriberCount,
    topics_policy: topicsPolicyNumbers[channel.topicsPolicy],
    folder: channel.folderId !== null && folders.has(channel.folderId) ? channel.folderId : null,
    ...(await groupIdsOf(channel.permissions, permissions, context)),
  };
}

/**
 * The periods of a subscription as entries of Zulip's log, which says who received what. Their times are not known, as the entries'
 * `backfilled` tells. For somebody who does not consent, the subscription begins with the export.
 */
export const subscriptionEvents = (
  { userId, channelId, periods }: Pick<Subscription, "userId" | "channelId" | "periods">,
  { dataExport }: Pick<Context, "dataExport">,
) =>
  periods
    .flatMap(([from, to], index): [type: number, at: number][] => [
      [index === 0 ? subscriptionEventNumbers.created : subscriptionEventNumbers.activated, from],
      ...(to === undefined ? [] : [[subscriptionEventNumbers.deactivated, to] satisfies [number, number]]),
    ])
    .map(([event_type, at]) => ({
      ...{ realm: realmId, event_type, event_time: dataExport.requestedAt, event_last_message_id: at - 1 },
      ...{ acting_user: userId, modified_user: userId, modified_stream: channelId, backfilled: true },
      ...{ modified_user_group: null, modified_channel_folder: null, extra_data: {} },
    }));

/** Subscriptions of somebody who consents, former ones included. */
export const subscriptionRows = (subscriptions: readonly Subscription[]) =>
  subscriptions.map((subscription) => ({
    user_profile: subscription.userId,
    recipient: recipientId(recipientTypes.channel, subscription.channelId),
    ...{ active: subscription.active, is_user_active: true, color: subscription.color },
    ...{ is_muted: subscription.isMuted, pin_to_top: subscription.pinToTop },
    desktop_notifications: subscription.desktopNotifications,
    audible_notifications: subscription.audibleNotifications,
    push_notifications: subscription.pushNotifications,
    email_notifications: subscription.emailNotifications,
    wildcard_mentions_notify: subscription.wildcardMentionsNotify,
  }));
