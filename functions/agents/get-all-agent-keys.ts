import { int, list, nullable, withDefault } from "../../shared/base/schema/params.ts";
import { allAgentKeys, ownedAgentKeyObject } from "../../shared/features/agents/agent-keys.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/agent_keys",
    summary: "Lists the keys of everybody's assistants by ID, up to 100, without the keys themselves.",
    note: "`next_after` is null on the last page, and otherwise the `after` of the next one.",
    caller: "admin",
    params: { after: withDefault(int({ min: 0 }), 0) },
    returns: { agent_keys: list(ownedAgentKeyObject), next_after: nullable(int()) },
    uses: { table: "read" },
  },
  async ({ params }) => allAgentKeys(params.after),
);
