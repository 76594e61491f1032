import { serverUrl } from "../environment.ts";
import { channelPath, encodeOperand } from "../markdown/narrow-urls.ts";
import type { Message } from "../store/messages/messages.ts";

/** The URL at which clients open a message in its conversation. They ignore the text after an ID, such as a channel's name. */
export function messageUrl({ id, channelId, topic = "", userIds = [] }: Message): string {
  const path =
    channelId === undefined
      ? `#narrow/dm/${userIds.join(",")}-dm`
      : `${channelPath(channelId, "channel")}/topic/${encodeOperand(topic)}`;
  return `${serverUrl()}/${path}/near/${id}`;
}
