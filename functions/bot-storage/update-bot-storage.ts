import { mapOf, text } from "../../shared/base/schema/params.ts";
import { writeBotStorage } from "../../shared/features/bot-storage/bot-storage.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PUT",
    path: "/bot_storage",
    summary: "Adds or replaces entries of the calling bot's key-value storage.",
    note: "Each bot may store at most 1 MB, and at most 200 KB in one value.",
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
