import type { Audience } from "../../store/log/entry.ts";
import type { Message } from "../../store/messages/messages.ts";

/**
 * The audience of an event about a message: the participants of a direct conversation, or the channel's readers and the users
 * `alsoUserIds`, who may not have subscribed to it.
 */
export const messageAudience = (message: Message, alsoUserIds: number[] = []): Audience =>
  message.channelId === undefined
    ? { kind: "users", userIds: message.userIds ?? [] }
    : {
        kind: "channel",
        channelId: message.channelId,
        userIds: alsoUserIds,
        messageId: message.id,
        ...(message.arrivedAs !== undefined && { arrivedAs: message.arrivedAs }),
      };
