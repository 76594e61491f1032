import type { GroupSetting } from "../../schema/group-setting.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { create, type Item, remove, type Update, update, type Write } from "../table/writes.ts";

export const topicsPolicies = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const;
export type TopicsPolicy = (typeof topicsPolicies)[number];

/** The permission settings of a channel, by their wire names. */
export interface ChannelPermissions {
  can_add_subscribers_group: GroupSetting;
  can_remove_subscribers_group: GroupSetting;
  can_administer_channel_group: GroupSetting;
  can_delete_any_message_group: GroupSetting;
  can_delete_own_message_group: GroupSetting;
  can_move_messages_out_of_channel_group: GroupSetting;
  can_move_messages_within_channel_group: GroupSetting;
  can_send_message_group: GroupSetting;
  can_subscribe_group: GroupSetting;
  can_resolve_topics_group: GroupSetting;
}

export interface Channel {
  id: number;
  /** Grows with each change, which is made only to the version that was read. */
  version: number;
  /** The ID of the set of its recipients, in one space with those of direct messages. */
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
  /** null: the organization's; -1: for ever. */
  messageRetentionDays: number | null;
  topicsPolicy: TopicsPolicy;
  isDefault: boolean;
  isArchived: boolean;
  folderId: number | null;
  permissions: ChannelPermissions;
  /** The IDs between which messages lie that were moved in while the history was protected. */
  arrivals?: { from: number; to: number };
  /** Between which IDs messages came from other channels, and since when (UNIX milliseconds): the newest moves, oldest first. */
  movedIn?: { from: number; to: number; at: number }[];
}

/**
 * What grows with use, in a small item beside the channel's: a subscription neither rewrites the channel nor collides
 * with a change of it.
 */
export interface ChannelStats {
  subscriberCount: number;
  firstMessageId?: number;
  /** UNIX seconds of the newest message that was counted. */
  lastMessageAt?: number;
  /** Messages of a day, as `day<days since 1970>`. */
  [day: `day${number}`]: number;
}

export interface CountedChannel extends Channel {
  stats: ChannelStats;
}

const key = (id: number) => ({ pk: "CHANNELS", sk: padded(id) });
const statsKey = (id: number) => ({ pk: "CHANNELS", sk: `${padded(id)}#STATS` });
const claimKey = (name: string) => ({ pk: `CHANNELNAME#${name.toLowerCase()}`, sk: "CLAIM" });

/** 0.5 read units. */
export const findChannel = (id: number) => getItem<Channel>(key(id));

/** In the order of `ids`, undefined where there is none. 0.5 read units each. */
export const findChannels = (ids: readonly number[]) => getItems<Channel>(ids.map(key));

/** The ID behind a name, ignoring case. */
export const findChannelIdByName = async (name: string) =>
  (await getItem<{ channelId: number }>(claimKey(name)))?.channelId;

/** The IDs behind names, in their order; 0.5 read units each. */
export const findChannelIdsByName = async (names: readonly string[]) =>
  (await getItems<{ channelId: number }>(names.map(claimKey))).map((claim) => claim?.channelId);

/** A channel with its numbers: both stand together, so that it is one query of 0.5 read units. */
export const findCountedChannel = async (
  id: number,
  { consistent = false } = {},
): Promise<CountedChannel | undefined> =>
  paired(await queryItems({ pk: "CHANNELS", prefix: padded(id), consistent }))[0];

/** All channels with their numbers; 0.5 read units for about five. */
export const listChannels = async ({ consistent = false } = {}): Promise<CountedChannel[]> =>
  paired(await queryItems({ pk: "CHANNELS", consistent }));

/** In sort order each channel is followed by its numbers. */
function paired(items: Item[]): CountedChannel[] {
  const channels: CountedChannel[] = [];
  for (const item of items) {
    const last = channels.at(-1);
    if (!item.sk.endsWith("#STATS")) channels.push({ ...(item as unknown as Channel), stats: { subscriberCount: 0 } });
    else if (last && item.sk.startsWith(padded(last.id))) last.stats = item as unknown as ChannelStats;
  }
  return channels;
}

/** The numbers of channels, in the order of `ids`; 0.5 read units each. */
export const findChannelStats = (ids: readonly number[]) => getItems<ChannelStats>(ids.map(statsKey));

/** Fails its transaction when the name is taken, ignoring case: the claim is the second write. */
export const createChannel = (channel: Channel, stats: ChannelStats): Write[] => [
  create({ ...key(channel.id), ...channel }),
  create({ ...claimKey(channel.name), channelId: channel.id }),
  create({ ...statsKey(channel.id), ...stats }),
];

/** Changes a channel unless someone else has changed it since it was read. */
export const changeChannel = ({ id, version }: Pick<Channel, "id" | "version">, set: Partial<Channel>): Write =>
  update(key(id), { set: { ...set, version: version + 1 } }, { equals: { version } });

/** Changes a channel whatever else has been done to it. */
export const updateChannel = (id: number, { set = {} }: Update): Write =>
  update(key(id), { set, add: { version: 1 } }, { exists: true });

/** Moves the claim of a channel's name; fails its transaction when the new one is taken. */
export const renameChannelClaim = (id: number, from: string, to: string): Write[] =>
  from.toLowerCase() === to.toLowerCase()
    ? []
    : [create({ ...claimKey(to), channelId: id }), remove(claimKey(from), { equals: { channelId: id } })];

export const updateChannelStats = (id: number, change: Update): Write => update(statsKey(id), change);
