import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { listChannelFolders } from "../store/channel-folders.ts";
import { type CountedChannel, listChannels } from "../store/channels.ts";
import { listSubscriberIds, listSubscriptions, type Subscription } from "../store/subscriptions.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import { wireFolder } from "./folder-wire.ts";
import { decisiveValues, mayKnow, type Standing } from "./rules.ts";
import { shownChannels } from "./shown.ts";
import {
  type ChannelObject,
  type NotificationDefaults,
  type SubscriptionObject,
  wireChannel,
  wireSubscription,
} from "./wire.ts";

/** What `/register` tells of channels; each part is read as the caller may see it. */

export interface SubscriptionView {
  /** "partial": whole lists below 250 subscribers, and none (`partial_subscribers: []`) above. */
  includeSubscribers: boolean | "partial";
  /** Whether the client knows archived channels; others do not get them. */
  archivedChannels: boolean;
  /** Given for clients that know no null in a subscription's notification settings. */
  notificationDefaults?: NotificationDefaults | undefined;
  /** Only this part is wanted: the lists of the others are not read. */
  only?: "subscriptions";
}

type WithSubscribers<T> = T & { subscribers?: number[]; partial_subscribers?: number[] };

export interface SubscriptionState {
  subscriptions: SubscriptionObject[];
  unsubscribed: SubscriptionObject[];
  never_subscribed: WithSubscribers<ChannelObject>[];
}

/** Subscriber lists of at least so many are left out for clients that take partial ones. */
const partialFrom = 250;
/** Queries under way at the same time. */
const listsAtOnce = 25;

/** The caller with all channels that they may know of: two queries and, for nested permissions, one read. */
export async function standingsOf(
  caller: Caller,
  realm: Realm,
): Promise<(Standing & { channel: CountedChannel; subscription: Subscription | undefined })[]> {
  const [channels, subscriptions] = await Promise.all([listChannels(), listSubscriptions(caller.id)]);
  const own = new Map(subscriptions.map((subscription) => [subscription.channelId, subscription]));
  const holds = await permissionsAmong(caller, channels.flatMap(decisiveValues), realm.settings);
  return channels
    .map((channel) => ({ person: caller, channel, subscription: own.get(channel.id), holds }))
    .filter(mayKnow);
}

/** `subscriptions`, `unsubscribed` and `never_subscribed`; one query more for each list of subscribers. */
export async function subscriptionState(
  caller: Caller,
  realm: Realm,
  view: SubscriptionView,
): Promise<SubscriptionState> {
  const known = (await standingsOf(caller, realm)).filter(
    ({ channel, subscription }) =>
      (view.archivedChannels || !channel.isArchived) && (view.only === undefined || subscription?.active === true),
  );
  const shown = await shownChannels(
    known.map(({ channel }) => channel),
    realm.usersVersion,
  );
  const standings = known.map(({ subscription }, index) => ({ subscription, channel: shown[index] as CountedChannel }));
  const state: SubscriptionState = { subscriptions: [], unsubscribed: [], never_subscribed: [] };
  const lists = await subscriberLists(
    standings.map(({ channel }) => channel),
    view.includeSubscribers,
  );
  for (const { channel, subscription } of standings) {
    const subscribers = lists.get(channel.id) ?? {};
    if (!subscription) {
      // Guests hear of no channel that they have not been in, web-public ones aside, which they may read.
      state.never_subscribed.push({ ...wireChannel(channel), ...subscribers });
    } else {
      const record = { ...wireSubscription(channel, subscription, view.notificationDefaults), ...subscribers };
      state[subscription.active ? "subscriptions" : "unsubscribed"].push(record);
    }
  }
  return state;
}

type SubscriberList = { subscribers?: number[]; partial_subscribers?: number[] };

/** The lists of subscribers that a client asked for, by channel. */
export async function subscriberLists(
  channels: readonly CountedChannel[],
  include: boolean | "partial",
): Promise<Map<number, SubscriberList>> {
  if (include === false) return new Map();
  const lists = new Map<number, SubscriberList>();
  const listOf = async ({ id, stats }: CountedChannel) => {
    const large = include === "partial" && stats.subscriberCount >= partialFrom;
    lists.set(id, large ? { partial_subscribers: [] } : { subscribers: await listSubscriberIds(id) });
  };
  for (let start = 0; start < channels.length; start += listsAtOnce)
    await Promise.all(channels.slice(start, start + listsAtOnce).map(listOf));
  return lists;
}

/** `streams`: the channels that the caller may know of. */
export const streamsState = async (
  caller: Caller,
  realm: Realm,
  { archivedChannels }: Pick<SubscriptionView, "archivedChannels">,
): Promise<ChannelObject[]> => {
  const known = (await standingsOf(caller, realm)).map(({ channel }) => channel);
  const wanted = known.filter(({ isArchived }) => archivedChannels || !isArchived);
  return (await shownChannels(wanted, realm.usersVersion)).map(wireChannel);
};

/** `realm_default_streams`: the IDs of the channels that new members start with; guests are told of none. */
export const defaultStreamsState = async (caller: Pick<Caller, "role">): Promise<number[]> =>
  isGuest(caller) ? [] : defaultChannelIds(await listChannels());

export const defaultChannelIds = (channels: readonly CountedChannel[]) =>
  channels.filter(({ isDefault, isArchived }) => isDefault && !isArchived).map(({ id }) => id);

/** `channel_folders`, in their order; clients are told of archived ones too. */
export const channelFoldersState = async () => (await listChannelFolders()).map(wireFolder);
