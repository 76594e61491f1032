import type { Audience } from "../store/log.ts";
import type { Message } from "../store/messages.ts";

/** Who hears of a change of a message: the people of a direct conversation, or the channel's subscribers who may read it. */
export const audienceOf = (message: Message, userIds: number[] = []): Audience =>
  message.channelId === undefined
    ? { kind: "users", userIds: message.userIds ?? [] }
    : {
        kind: "channel",
        channelId: message.channelId,
        userIds,
        messageId: message.id,
        ...(message.arrivedAs !== undefined && { arrivedAs: message.arrivedAs }),
      };
