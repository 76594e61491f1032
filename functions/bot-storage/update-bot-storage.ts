import { writeBotStorage } from "../../shared/bot-storage/bot-storage.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { mapOf, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "PUT",
    path: "/bot_storage",
    summary: "Adds or replaces entries of the calling bot's key-value storage.",
    note: "At most 1 MB for each bot, 200 KB for a value.",
    caller: "user",
    params: { storage: mapOf(text()) },
    returns: {},
    creates: "botStorageEntry",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await writeBotStorage(caller.id, new Map(Object.entries(params.storage)));
  },
);
