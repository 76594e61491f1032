import { int } from "../../shared/base/schema/params.ts";
import { ownAgentKey, removeAgentKey } from "../../shared/features/agents/agent-keys.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/agent_keys/{key_id}",
    summary: "Revokes an assistant's key: its next request is refused.",
    caller: "human",
    params: { key_id: int() },
    returns: {},
    needs: { key: ownAgentKey },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  ({ key }) => ({ change: removeAgentKey(key) }),
);
