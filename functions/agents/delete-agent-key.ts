import { int, optional } from "../../shared/base/schema/params.ts";
import { namedAgentKey, removeAgentKey } from "../../shared/features/agents/agent-keys.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/agent_keys/{key_id}",
    summary: "Revokes an assistant's key: its next request is refused.",
    note: "An administrator who revokes somebody else's key passes the owner's ID as `user_id`.",
    caller: "human",
    params: { key_id: int(), user_id: optional(int()) },
    returns: {},
    needs: { key: namedAgentKey },
    errors: ["BAD_REQUEST 404", "UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite" },
  },
  ({ key }) => ({ change: removeAgentKey(key) }),
);
