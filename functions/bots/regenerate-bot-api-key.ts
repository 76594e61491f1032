import { accessBot } from "../../shared/bots/access.ts";
import { regenerateBotKey } from "../../shared/bots/actions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, string } from "../../shared/schema/params.ts";

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
