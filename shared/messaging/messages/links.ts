import { serverUrl } from "../../base/environment.ts";
import { channelPath, encodeOperand } from "../../core/markdown/narrow-urls.ts";
import type { Message } from "../../store/messages/messages.ts";

/** Where a message is: in a channel and topic, or among users. */
interface MessagePlace {
  id: number;
  channelId?: number | undefined;
  topic?: string | undefined;
  userIds?: readonly number[] | undefined;
}

/** Where clients open a message in its conversation. They ignore the text after an ID, such as a channel's name. */
export function messageHash({ id, channelId, topic = "", userIds = [] }: MessagePlace): string {
  const path =
    channelId === undefined
      ? `#narrow/dm/${userIds.join(",")}-dm`
      : `${channelPath(channelId, "channel")}/topic/${encodeOperand(topic)}`;
  return `${path}/near/${id}`;
}

export const messageUrl = (message: Message): string => `${serverUrl()}/${messageHash(message)}`;
