import { mapOf } from "../../shared/base/schema/params.ts";
import { emojiObject, toEmojiMapWire } from "../../shared/core/emoji/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { listEmoji } from "../../shared/store/organization/emoji.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/emoji",
    summary: "Lists the organization's custom emoji, including deactivated ones.",
    caller: "user",
    params: {},
    returns: { emoji: mapOf(emojiObject) },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async () => ({ emoji: toEmojiMapWire(await listEmoji()) }),
);
