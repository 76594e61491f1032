import { int, list, nullable, withDefault } from "../../shared/base/schema/params.ts";
import { allAgentKeys, ownedAgentKeyObject } from "../../shared/features/agents/agent-keys.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/agent_keys",
    summary: "Lists up to 100 keys of everybody's assistants, ordered by ID, but not their secret values.",
    note: "Pass `next_after` as `after` to get the next page; it is null on the last one.",
    caller: "admin",
    params: { after: withDefault(int({ min: 0 }), 0) },
    returns: { agent_keys: list(ownedAgentKeyObject), next_after: nullable(int()) },
    uses: { table: "read" },
  },
  async ({ params }) => allAgentKeys(params.after),
);
