import { removeFromBotStorage } from "../../shared/bot-storage/bot-storage.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, optional, text } from "../../shared/schema/params.ts";

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
