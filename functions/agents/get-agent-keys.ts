import { list } from "../../shared/base/schema/params.ts";
import { agentKeyObject, agentKeysOf } from "../../shared/features/agents/agent-keys.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/agent_keys",
    summary: "Lists the keys of the caller's assistants with their names and permissions, but not their secret values.",
    note: "`last_used` is null if the key was never used; it may be up to an hour out of date.",
    caller: "human",
    params: {},
    returns: { agent_keys: list(agentKeyObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => ({ agent_keys: await agentKeysOf(caller) }),
);
