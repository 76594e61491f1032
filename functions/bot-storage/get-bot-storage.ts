import { readBotStorage } from "../../shared/bot-storage/actions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, mapOf, optional, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/bot_storage",
    summary: "Returns what a bot has kept for itself: the values of some keys, or of all.",
    caller: "user",
    params: { keys: optional(list(text(), { max: 1000 })) },
    returns: { storage: mapOf(text()) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => ({ storage: await readBotStorage(caller.id, params.keys) }),
);
