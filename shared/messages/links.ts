import { channelPath, encodeOperand } from "../markdown/narrow-urls.ts";
import { ownUrl } from "../settings.ts";
import type { Message } from "../store/messages.ts";

/** A message's address in its conversation, as clients open it. */
export function urlOf({ id, channelId, topic = "", userIds = [] }: Message): string {
  const place =
    channelId === undefined
      ? `#narrow/dm/${userIds.join(",")}-dm`
      : `${channelPath(channelId, "channel")}/topic/${encodeOperand(topic)}`;
  return `${ownUrl()}/${place}/near/${id}`;
}
