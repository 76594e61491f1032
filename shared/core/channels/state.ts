import { mapInBatches } from "../../base/batches.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import { type ChannelWithStats, listChannels } from "../../store/channels/channels.ts";
import { listSubscriberIds, listSubscriptions, type Subscription } from "../../store/channels/subscriptions.ts";
import { withBoundedDescriptions } from "./descriptions.ts";
import { type ChannelAccess, evaluatedPermissions, hasMetadataAccess } from "./rules.ts";
import { withVisiblePermissions } from "./visible-permissions.ts";
import {
  type ChannelObject,
  type NotificationDefaults,
  type SubscriptionObject,
  toChannelWire,
  toSubscriptionWire,
} from "./wire.ts";

/** The parts of the initial state about channels, as the caller may see them; see https://zulip.com/api/register-queue. */

export interface SubscriptionOptions {
  /**
   * "partial": complete lists below `minSubscribersForPartialList` subscribers, else empty ones (`partial_subscribers: []`).
   */
  includeSubscribers: boolean | "partial";
  /** Whether the client supports archived channels; others do not get them. */
  archivedChannels: boolean;
  /** Set for clients that do not support null in a subscription's notification settings. */
  notificationDefaults?: NotificationDefaults | undefined;
  /** Restricts the result to this part, so that the others' subscribers are not read. */
  only?: "subscriptions";
}

type SubscriberList = { subscribers?: number[]; partial_subscribers?: number[] };

interface SubscriptionState {
  subscriptions: SubscriptionObject[];
  unsubscribed: SubscriptionObject[];
  never_subscribed: (ChannelObject & SubscriberList)[];
}

/** Clients that accept partial subscriber lists get an empty one for channels with at least this many subscribers. */
const minSubscribersForPartialList = 250;
const maxConcurrentQueries = 25;

/** The caller's access to all channels that they may see. Costs two queries, and a read if permissions name custom groups. */
export async function listChannelAccess(
  caller: Caller,
  realm: Realm,
): Promise<(ChannelAccess & { channel: ChannelWithStats; subscription: Subscription | undefined })[]> {
  const [channels, subscriptions] = await Promise.all([listChannels(), listSubscriptions(caller.id)]);
  const byChannel = new Map(subscriptions.map((subscription) => [subscription.channelId, subscription]));
  const isGranted = await loadPermissions(caller, channels.flatMap(evaluatedPermissions), realm.settings);
  return channels
    .map((channel) => ({ person: caller, channel, subscription: byChannel.get(channel.id), isGranted }))
    .filter(hasMetadataAccess);
}

/** `subscriptions`, `unsubscribed` and `never_subscribed`; one more query for each subscriber list. */
export async function subscriptionState(
  caller: Caller,
  realm: Realm,
  view: SubscriptionOptions,
): Promise<SubscriptionState> {
  const visible = (await listChannelAccess(caller, realm)).filter(
    ({ channel, subscription }) =>
      (view.archivedChannels || !channel.isArchived) && (view.only === undefined || subscription?.active === true),
  );
  const channels = await withVisiblePermissions(
    withBoundedDescriptions(visible.map(({ channel }) => channel)),
    realm.usersVersion,
  );
  const accesses = visible.map(({ subscription }, index) => ({
    subscription,
    channel: channels[index] as ChannelWithStats,
  }));
  const state: SubscriptionState = { subscriptions: [], unsubscribed: [], never_subscribed: [] };
  const lists = await subscriberLists(channels, view.includeSubscribers);
  for (const { channel, subscription } of accesses) {
    const subscribers = lists.get(channel.id) ?? {};
    if (!subscription) {
      // For guests, these are only web-public channels.
      state.never_subscribed.push({ ...toChannelWire(channel), ...subscribers });
    } else {
      const record = { ...toSubscriptionWire(channel, subscription, view.notificationDefaults), ...subscribers };
      state[subscription.active ? "subscriptions" : "unsubscribed"].push(record);
    }
  }
  return state;
}

export async function subscriberLists(
  channels: readonly ChannelWithStats[],
  include: boolean | "partial",
): Promise<Map<number, SubscriberList>> {
  if (include === false) return new Map();
  const lists = new Map<number, SubscriberList>();
  const addList = async ({ id, stats }: ChannelWithStats) => {
    const isPartial = include === "partial" && stats.subscriberCount >= minSubscribersForPartialList;
    lists.set(id, isPartial ? { partial_subscribers: [] } : { subscribers: await listSubscriberIds(id) });
  };
  await mapInBatches(channels, maxConcurrentQueries, addList);
  return lists;
}

/** `streams`: the channels that the caller may see. */
export const streamsState = async (
  caller: Caller,
  realm: Realm,
  { archivedChannels }: Pick<SubscriptionOptions, "archivedChannels">,
): Promise<ChannelObject[]> => {
  const visible = (await listChannelAccess(caller, realm)).map(({ channel }) => channel);
  const requested = visible.filter(({ isArchived }) => archivedChannels || !isArchived);
  return (await withVisiblePermissions(withBoundedDescriptions(requested), realm.usersVersion)).map(toChannelWire);
};

/** `realm_default_streams`: IDs of default channels; empty for guests. */
export const defaultStreamsState = async (caller: Pick<Caller, "role">): Promise<number[]> =>
  isGuest(caller) ? [] : defaultChannelIds(await listChannels());

export const defaultChannelIds = (channels: readonly ChannelWithStats[]) =>
  channels.filter(({ isDefault, isArchived }) => isDefault && !isArchived).map(({ id }) => id);
