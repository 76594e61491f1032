import type { Realm } from "../organization/access.ts";
import { ownUrl } from "../settings.ts";
import { findChannels } from "../store/channels.ts";
import type { Message } from "../store/messages.ts";
import { pictureUrl } from "../users/avatars.ts";
import { profilesOf } from "../users/profiles.ts";
import { shownEmail } from "../users/visibility.ts";
import { notificationText } from "./text.ts";

/** What devices are told of a message; all but the sender's address is in the encrypted form (companion reference, B 4.9). */
export interface MessagePayload {
  message_id: number;
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
  pm_users?: string;
  mentioned_user_group_id?: number;
  mentioned_user_group_name?: string;
}

/** What is the same for all who are told of a message. */
export async function messagePayload(message: Message, realm: Realm): Promise<MessagePayload> {
  const { channelId, topic = "", userIds = [], senderId } = message;
  const [users, [channel]] = await Promise.all([
    profilesOf([senderId], realm.usersVersion),
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
    sender_avatar_url: picture.startsWith("/") ? ownUrl() + picture : picture,
    sender_email: sender ? shownEmail(sender) : "",
    ...(channelId !== undefined
      ? { recipient_type: "channel", channel_id: channelId, channel_name: channel?.name ?? "", topic }
      : { recipient_type: "direct", ...(userIds.length > 2 && { pm_users: userIds.join(",") }) }),
  };
}
