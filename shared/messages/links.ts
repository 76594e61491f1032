import { serverUrl } from "../limits.ts";
import { channelPath, encodeOperand } from "../markdown/narrow-urls.ts";
import type { Message } from "../store/messages/messages.ts";

/** The URL at which clients open a message in its conversation. */
export function messageUrl({ id, channelId, topic = "", userIds = [] }: Message): string {
  const place =
    channelId === undefined
      ? `#narrow/dm/${userIds.join(",")}-dm`
      : `${channelPath(channelId, "channel")}/topic/${encodeOperand(topic)}`;
  return `${serverUrl()}/${place}/near/${id}`;
}
