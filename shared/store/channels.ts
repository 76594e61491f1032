import type { GroupSetting } from "../groups/values.ts";
import { padded } from "./keys.ts";
import { getItem, getItems, queryItems } from "./table.ts";
import { create, type Update, update, type Write } from "./writes.ts";

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
  subscriberCount: number;
  permissions: ChannelPermissions;
}

const key = (id: number) => ({ pk: "CHANNELS", sk: padded(id) });
const claimKey = (name: string) => ({ pk: `CHANNELNAME#${name.toLowerCase()}`, sk: "CLAIM" });

/** 0.5 read units. */
export const findChannel = (id: number) => getItem<Channel>(key(id));

/** In the order of `ids`, undefined where there is none. 0.5 read units each. */
export const findChannels = (ids: readonly number[]) => getItems<Channel>(ids.map(key));

/** The ID behind a name, ignoring case. */
export const findChannelIdByName = async (name: string) =>
  (await getItem<{ channelId: number }>(claimKey(name)))?.channelId;

export const listChannels = () => queryItems<Channel>({ pk: "CHANNELS" });

/** Fails its transaction when the name is taken, ignoring case. */
export const createChannel = (channel: Channel): Write[] => [
  create({ ...key(channel.id), ...channel }),
  create({ ...claimKey(channel.name), channelId: channel.id }),
];

export const updateChannel = (id: number, change: Update): Write => update(key(id), change, { exists: true });
