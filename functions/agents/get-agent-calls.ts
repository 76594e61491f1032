import { int, list, optional } from "../../shared/base/schema/params.ts";
import { agentCallObject, agentCallsOf, keyOwner } from "../../shared/features/agents/calls.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/agent_keys/{key_id}/calls",
    summary:
      "Lists what an assistant has done with a key in the last 30 days: the newest 200 calls of tools, newest first.",
    note: "A call is listed once it has ended, with the IDs of its conversation and without texts. Calls with a revoked key are listed too. Administrators name the owner of another's key in `user_id`.",
    caller: "human",
    params: { key_id: int(), user_id: optional(int()) },
    returns: { calls: list(agentCallObject) },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "read" },
  },
  async ({ caller, params }) => ({ calls: await agentCallsOf(keyOwner(caller, params.user_id), params.key_id) }),
);
