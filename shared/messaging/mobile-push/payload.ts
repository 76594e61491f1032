import { serverUrl } from "../../base/environment.ts";
import { pictureUrl } from "../../core/users/avatars.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import type { Message } from "../../store/messages/messages.ts";
import { notificationText } from "../notifications/text.ts";

/**
 * The push notification for a message. Its end-to-end encrypted form has all fields except `sender_email`. See
 * https://zulip.com/api/mobile-notifications.
 */
export interface MessagePayload {
  message_id: number;
  /** When the message was sent, in UNIX seconds. */
  time: number;
  content: string;
  sender_id: number;
  sender_full_name: string;
  sender_avatar_url: string;
  sender_email: string;
  recipient_type: "channel" | "direct";
  channel_id?: number;
  channel_name?: string;
  topic?: string;
  /** For group direct messages: the IDs of all participants, separated by commas. */
  pm_users?: string;
  mentioned_user_group_id?: number;
  mentioned_user_group_name?: string;
}

/** The payload without the mentioned group, which depends on the recipient. */
export async function messagePayload(message: Message, realm: Realm): Promise<MessagePayload> {
  const { channelId, topic = "", userIds = [], senderId } = message;
  const [users, [channel]] = await Promise.all([
    findCachedProfiles([senderId], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
  ]);
  const sender = users.get(senderId);
  const picture = sender ? pictureUrl(sender) : "";
  return {
    message_id: message.id,
    time: message.sentAt,
    content: notificationText(message.html),
    sender_id: senderId,
    sender_full_name: sender?.fullName ?? "",
    sender_avatar_url: picture.startsWith("/") ? serverUrl() + picture : picture,
    sender_email: sender ? visibleEmail(sender) : "",
    ...(channelId !== undefined
      ? { recipient_type: "channel", channel_id: channelId, channel_name: channel?.name ?? "", topic }
      : { recipient_type: "direct", ...(userIds.length > 2 && { pm_users: userIds.join(",") }) }),
  };
}
