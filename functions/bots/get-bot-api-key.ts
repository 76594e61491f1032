import { int, string } from "../../shared/base/schema/params.ts";
import { accessBot } from "../../shared/features/bots/access.ts";
import { keyOfBot } from "../../shared/features/bots/actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/bots/{bot_id}/api_key",
    summary: "Returns a bot's API key. For its owner and administrators.",
    note: "This call comes from a later feature level (463), for clients that ask for it. `realm_bots` also has the keys.",
    caller: "human",
    params: { bot_id: int() },
    returns: { api_key: string() },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "read", secret: true },
  },
  async ({ caller, params }) => {
    const { user } = await accessBot(caller, params.bot_id);
    return { api_key: await keyOfBot(user) };
  },
);
