import { int, string } from "../../shared/base/schema/params.ts";
import { accessBot } from "../../shared/features/bots/access.ts";
import { regenerateBotKey } from "../../shared/features/bots/actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/bots/{bot_id}/api_key/regenerate",
    summary: "Gives a bot a new API key and invalidates the old one. For its owner and administrators.",
    caller: "human",
    params: { bot_id: int() },
    returns: { api_key: string() },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    creates: "apiKey",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params }) => {
    const { bot, user } = await accessBot(caller, params.bot_id);
    return { api_key: await regenerateBotKey(bot, user) };
  },
);
