import { onlyMember } from "../../base/schema/group-setting.ts";
import { administrators, everyone, nobody } from "../../base/schema/system-groups.ts";
import type { ChannelPermissions } from "../../store/channels/channels.ts";
import type { Subscription } from "../../store/channels/subscriptions.ts";

/** The permissions of a new channel. See https://zulip.com/api/create-channel. */
export const defaultPermissions = (creatorId: number | null): ChannelPermissions => ({
  can_add_subscribers_group: nobody,
  can_subscribe_group: nobody,
  can_administer_channel_group: creatorId === null ? nobody : onlyMember(creatorId),
  can_remove_subscribers_group: administrators,
  can_send_message_group: everyone,
  can_delete_any_message_group: nobody,
  can_delete_own_message_group: nobody,
  can_move_messages_out_of_channel_group: nobody,
  can_move_messages_within_channel_group: nobody,
  can_resolve_topics_group: nobody,
});

/** Initial colors of subscriptions; a channel has the same one for every subscriber. */
const palette = [
  "#76ce90",
  "#fae589",
  "#a6c7e5",
  "#e79ab5",
  "#bfd56f",
  "#f4ae55",
  "#b0a5fd",
  "#addfe5",
  "#f5ce6e",
  "#c2726a",
];

/** A new subscription, with access to messages from `firstMessageId` on. */
export const newSubscription = (userId: number, channelId: number, firstMessageId: number): Subscription => ({
  userId,
  channelId,
  active: true,
  periods: [[firstMessageId]],
  color: palette[channelId % palette.length] as string,
  isMuted: false,
  pinToTop: false,
  desktopNotifications: null,
  audibleNotifications: null,
  pushNotifications: null,
  emailNotifications: null,
  wildcardMentionsNotify: null,
});
