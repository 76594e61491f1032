import { linkUrl } from "../../shared/base/environment.ts";
import { agentRealm } from "../../shared/features/agents/agent-keys.ts";
import { authenticateAgent } from "../../shared/features/agents/authenticate-agent.ts";
import { answerFrame, renderRpcError } from "../../shared/features/agents/protocol.ts";
import { callTool, describeTools, instructions } from "../../shared/features/agents/tools.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mcp",
    prefix: "",
    summary: "Answers a Model Context Protocol request, through which assistants read what the caller may read.",
    note: "The body is a JSON-RPC 2.0 message of at most 64 KB; there are no sessions, streams or batches. An agent's key, sent as a Bearer token, limits what the tools read; with Basic credentials they read whatever the caller may. Errors in a message are returned in JSON-RPC's form, errors in credentials in the API's.",
    caller: "user",
    params: {},
    returns: "raw",
    raw: { types: ["application/json"], statuses: [202, 403] },
    renderError: renderRpcError,
    byBearer: authenticateAgent,
    takesJson: true,
    needs: { realm: agentRealm },
    uses: { table: "readWrite" },
  },
  async ({ caller, realm, request }) => {
    const reader = { caller, realm, baseUrl: linkUrl(request.baseUrl) };
    return answerFrame(request, instructions, {
      list: describeTools,
      call: (name, sent) => callTool(reader, name, sent),
    });
  },
);
