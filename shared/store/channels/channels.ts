import { nameKey } from "../../base/name-key.ts";
import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { readAhead } from "../table/snapshot.ts";
import {
  check,
  create,
  type Key,
  type Refusal,
  remove,
  type Update,
  update,
  type Write,
  withRefusal,
} from "../table/writes.ts";

export const topicsPolicies = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const;
export type TopicsPolicy = (typeof topicsPolicies)[number];

/** The permission settings of a channel: their wire names, in the order of a change's events. */
export const channelPermissionNames = [
  "can_add_subscribers_group",
  "can_subscribe_group",
  "can_administer_channel_group",
  "can_remove_subscribers_group",
  "can_send_message_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_resolve_topics_group",
] as const;
export type ChannelPermissions = Record<(typeof channelPermissionNames)[number], GroupSetting>;

export interface Channel {
  id: number;
  /** For optimistic concurrency: each change increments it. */
  version: number;
  /** Zulip's recipient ID, unique among channels and direct-message conversations. */
  recipientId: number;
  name: string;
  description: string;
  renderedDescription: string;
  /** UNIX seconds. */
  createdAt: number;
  creatorId: number | null;
  inviteOnly: boolean;
  isWebPublic: boolean;
  historyPublicToSubscribers: boolean;
  /** null: the organization's setting; -1: messages never expire. */
  messageRetentionDays: number | null;
  topicsPolicy: TopicsPolicy;
  isDefault: boolean;
  isArchived: boolean;
  folderId: number | null;
  permissions: ChannelPermissions;
  /** For finding readable history: a range of IDs with all messages that were moved in while the history was protected. */
  arrivals?: { from: number; to: number };
  /**
   * For finding unread messages: the latest moves into the channel, oldest first: the range of their IDs and the time in UNIX
   * milliseconds.
   */
  movedIn?: { from: number; to: number; at: number }[];
}

/**
 * A channel's counters, in an item of their own, so that subscribing neither rewrites the channel's item nor conflicts with
 * changes to it.
 */
export interface ChannelStats {
  subscriberCount: number;
  firstMessageId?: number;
  /** UNIX seconds of the newest counted message. */
  lastMessageAt?: number;
  /** The number of messages sent on a day; `day20000` is the day 20,000 days after 1970-01-01. */
  [day: `day${number}`]: number;
}

export interface ChannelWithStats extends Channel {
  stats: ChannelStats;
}

const key = (id: number) => ({ pk: "CHANNELS", sk: padded(id) });
const statsKey = (id: number) => ({ pk: "CHANNELS", sk: `${padded(id)}#STATS` });
const claimKey = (name: string) => ({ pk: `CHANNELNAME#${nameKey(name)}`, sk: "CLAIM" });

export const findChannel = (id: number) => getItem<Channel>(key(id), corrected);

/** In the order of `ids`, undefined where there is none. 0.5 read units each. */
export const findChannels = (ids: readonly number[]) => getItems<Channel>(ids.map(key), corrected);

/** The ID of the channel with a name, ignoring case. */
export const findChannelIdByName = async (name: string) =>
  (await getItem<{ channelId: number }>(claimKey(name), corrected))?.channelId;

/** The IDs of the channels with these names, ignoring case, in the order of `names`; 0.5 read units each. */
export const findChannelIdsByName = async (names: readonly string[]) =>
  (await getItems<{ channelId: number }>(names.map(claimKey), corrected)).map((claim) => claim?.channelId);

/** A channel with its counters. Their items are adjacent, so this is one query of 0.5 read units. */
export const findChannelWithStats = async (id: number): Promise<ChannelWithStats | undefined> =>
  withStats(await queryItems({ pk: "CHANNELS", prefix: padded(id), ...corrected }))[0];

/** All channels with their counters; 0.5 read units for about five. */
export const listChannels = async (): Promise<ChannelWithStats[]> =>
  withStats(await queryItems({ pk: "CHANNELS", ...corrected }));

/** Reads all channels ahead for a snapshot: some of its parts list all of them, and others look up single ones. */
export const readChannelsAhead = (): Promise<void> => readAhead({ pk: "CHANNELS" });

/** Combines the items of a query, in which each channel is followed by its counters. */
function withStats(items: (Key & (Channel | ChannelStats))[]): ChannelWithStats[] {
  const channels: ChannelWithStats[] = [];
  for (const item of items) {
    const last = channels.at(-1);
    if ("recipientId" in item) channels.push({ ...item, stats: { subscriberCount: 0 } });
    else if (last && item.sk.startsWith(padded(last.id))) last.stats = item;
  }
  return channels;
}

/** The counters of channels, in the order of `ids`; 0.5 read units each. */
export const findChannelStats = (ids: readonly number[]) => getItems<ChannelStats>(ids.map(statsKey), corrected);

/** Fails its transaction when the name is taken, ignoring case. */
export const createChannel = (channel: Channel, stats: ChannelStats): Write[] => [
  create({ ...key(channel.id), ...channel }),
  create({ ...claimKey(channel.name), channelId: channel.id }),
  create({ ...statsKey(channel.id), ...stats }),
];

/** Fails its transaction when another request has changed the channel since it was read. */
export const updateChannelIfUnchanged = (
  { id, version }: Pick<Channel, "id" | "version">,
  set: Partial<Channel>,
): Write => update(key(id), { set: { ...set, version: version + 1 } }, { equals: { version } });

/** Changes a channel regardless of concurrent changes. */
export const updateChannel = (id: number, { set = {} }: Update): Write =>
  update(key(id), { set, add: { version: 1 } }, { exists: true });

/** Reserves the new name and releases the old one; fails its transaction when the new one is taken. */
export const renameChannelClaim = (id: number, from: string, to: string, nameTaken: Refusal): Write[] =>
  nameKey(from) === nameKey(to)
    ? []
    : [
        withRefusal(create({ ...claimKey(to), channelId: id }), nameTaken),
        remove(claimKey(from), { equals: { channelId: id } }),
      ];

export const updateChannelStats = (id: number, change: Update): Write => update(statsKey(id), change);

/** Records another first message; fails when another one than `before` is recorded. */
export const updateFirstMessage = (id: number, before: number | undefined, after: number | undefined): Write =>
  update(statsKey(id), after === undefined ? { remove: ["firstMessageId"] } : { set: { firstMessageId: after } }, {
    equals: { firstMessageId: before },
  });

export const checkFirstMessage = (id: number, firstMessageId: number | undefined): Write =>
  check(statsKey(id), { equals: { firstMessageId } });
