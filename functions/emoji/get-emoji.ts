import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { emojiObject, toEmojiMapWire } from "../../shared/emoji/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { mapOf } from "../../shared/schema/params.ts";
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
