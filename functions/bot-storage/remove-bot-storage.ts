import { list, optional, text } from "../../shared/base/schema/params.ts";
import { removeFromBotStorage } from "../../shared/features/bot-storage/bot-storage.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/bot_storage",
    summary: "Removes entries of the calling bot's key-value storage: those with the given keys, or all.",
    caller: "user",
    params: { keys: optional(list(text(), { max: 1000 })) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await removeFromBotStorage(caller.id, params.keys);
  },
);
