import { list, mapOf, optional, text } from "../../shared/base/schema/params.ts";
import { readBotStorage } from "../../shared/features/bot-storage/bot-storage.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

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
