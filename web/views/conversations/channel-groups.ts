import { computed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { perSession } from "../../session/session.ts";
import { channels, slice, subscriptions, topicPolicies, unread } from "../../session/store.ts";
import { type SubscribedChannel, sortedChannels, type TopicEntry, withUnreadTopics } from "./channel-lists.ts";

/** The reader's channels in the order in which every view lists them. */

export interface ChannelGroup {
  id: string;
  name: string;
  channels: readonly SubscribedChannel[];
  /** Whether it has the channels that are in no other group; it is there even if it has none. */
  isLast?: boolean;
}

const folders = slice(({ folders }) => folders);

const former = perSession(() => ({ entries: new Map<number, SubscribedChannel>() }));

/** A received message does not change their order. */
const inOrder = computed(() =>
  channels.value && subscriptions.value
    ? sortedChannels({ channels: channels.value, subscriptions: subscriptions.value })
    : [],
);

const subscribedChannels = computed(() => {
  if (!subscriptions.value || !topicPolicies.value || !unread.value) return [];
  const sorted = withUnreadTopics(inOrder.value, {
    subscriptions: subscriptions.value,
    topicPolicies: topicPolicies.value,
    unread: unread.value,
  }).map((entry) => sameOr(former().entries.get(entry.channel.stream_id), entry));
  former().entries = new Map(sorted.map((entry) => [entry.channel.stream_id, entry]));
  return sorted;
});

/** The pinned channels, those of each folder in the organization's order, and the others. */
export const channelGroups = computed((): readonly ChannelGroup[] => {
  const pinned = subscribedChannels.value.filter(({ subscription }) => subscription.pin_to_top);
  const unpinned = subscribedChannels.value.filter(({ subscription }) => !subscription.pin_to_top);
  const sortedFolders = [...(folders.value?.values() ?? [])].sort((a, b) => a.order - b.order);
  const ofFolders = sortedFolders.map(({ id, name }) => ({
    id: `folder-${id}`,
    name,
    channels: unpinned.filter(({ channel }) => channel.folder_id === id),
  }));
  const inNoFolder = unpinned.filter(({ channel }) => !folders.value?.has(channel.folder_id ?? -1));
  return [
    ...[{ id: "pinned", name: t("Pinned"), channels: pinned }, ...ofFolders].filter(
      (group) => group.channels.length > 0,
    ),
    { id: "channels", name: t("Channels"), channels: inNoFolder, isLast: true },
  ];
});

/** All channels of the groups, from top to bottom. */
export const listedChannels = computed(() => channelGroups.value.flatMap((group) => group.channels));

/** The entry of a channel as it was if it shows the same: then it is not rendered again. */
const sameOr = (before: SubscribedChannel | undefined, after: SubscribedChannel): SubscribedChannel =>
  before &&
  before.channel === after.channel &&
  before.subscription === after.subscription &&
  before.topics.length === after.topics.length &&
  before.topics.every((topic, index) => isSameTopic(topic, after.topics[index] as TopicEntry))
    ? before
    : after;

const isSameTopic = (a: TopicEntry, b: TopicEntry) =>
  a.conversation === b.conversation &&
  a.unread === b.unread &&
  a.mentions === b.mentions &&
  a.muted === b.muted &&
  a.followed === b.followed &&
  a.newest === b.newest;
