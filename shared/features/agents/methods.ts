import { describePrompts, promptOf } from "./prompts.ts";
import { isObject, type Methods, rpcFailure } from "./protocol.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import type { AgentRequest } from "./tool.ts";
import { callTool, describeTools } from "./tools.ts";

/** What assistants may ask, by the protocol's methods. */
export const methodsFor = (request: AgentRequest): Methods =>
  new Map(
    Object.entries({
      "tools/list": async () => ({ tools: describeTools(request.caller) }),
      "tools/call": async ({ name, arguments: sent = {} }) => {
        const called = typeof name === "string" && isObject(sent) ? await callTool(request, name, sent) : undefined;
        return called ?? rpcFailure("params", "There is no such tool");
      },
      "resources/list": async () => ({ resources: await listResources(request) }),
      "resources/templates/list": async () => ({ resourceTemplates }),
      "resources/read": async ({ uri }) =>
        (typeof uri === "string" && (await readResource(request, uri))) ||
        rpcFailure("resource", "There is no such resource"),
      "prompts/list": async () => ({ prompts: describePrompts() }),
      "prompts/get": async ({ name, arguments: sent = {} }) =>
        (isObject(sent) && promptOf(name, sent)) ||
        rpcFailure("params", "There is no such prompt, or an argument is missing"),
    } satisfies Record<string, (params: Record<string, unknown>) => Promise<object>>),
  );
