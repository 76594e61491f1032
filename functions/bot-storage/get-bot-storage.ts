import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { readBotStorage } from "../../shared/bot-storage/bot-storage.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, mapOf, optional, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/bot_storage",
    summary: "Returns entries of the calling bot's key-value storage: those with the given keys, or all.",
    caller: "user",
    params: { keys: optional(list(text(), { max: 1000 })) },
    returns: { storage: mapOf(text()) },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params }) => ({ storage: await readBotStorage(caller.id, params.keys) }),
);
