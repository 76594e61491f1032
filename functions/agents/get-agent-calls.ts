import { int, list, optional } from "../../shared/base/schema/params.ts";
import { agentCallObject, agentCallsOf, keyOwner } from "../../shared/features/agents/calls.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/agent_keys/{key_id}/calls",
    summary: "Lists the newest 200 tool calls that an assistant made with a key in the last 30 days, newest first.",
    note: "A call is listed once it has ended, with the IDs of its conversation but without text. Calls of a revoked key are listed too. An administrator who asks about somebody else's key passes the owner's ID as `user_id`.",
    caller: "human",
    params: { key_id: int(), user_id: optional(int()) },
    returns: { calls: list(agentCallObject) },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "read" },
  },
  async ({ caller, params }) => ({ calls: await agentCallsOf(keyOwner(caller, params.user_id), params.key_id) }),
);
