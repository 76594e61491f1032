import { linkUrl } from "../../shared/base/environment.ts";
import { agentRealm } from "../../shared/features/agents/agent-keys.ts";
import { authenticateAgent } from "../../shared/features/agents/authenticate-agent.ts";
import { methodsFor } from "../../shared/features/agents/methods.ts";
import { answerFrame, renderRpcError } from "../../shared/features/agents/protocol.ts";
import { agentClient } from "../../shared/features/agents/scopes.ts";
import type { Writers } from "../../shared/features/agents/tool.ts";
import { instructions } from "../../shared/features/agents/tools.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

/** Loaded when an assistant writes, which most requests do not. */
const writers: Writers = {
  sendMessage: async (given) => (await import("../messages/send-message.ts")).handler.answer(given),
  editMessage: async (given) => (await import("../messages/edit-message.ts")).handler.answer(given),
  addReaction: async (given) => (await import("../reactions/add-reaction.ts")).handler.answer(given),
  scheduleMessage: async (given) =>
    (await import("../scheduled-messages/create-scheduled-message.ts")).handler.answer(given),
  uploadFile: async (given) => (await import("../uploads/upload-file.ts")).handler.answer(given),
  updateUserTopic: async (given) => (await import("../user-topics/update-user-topic.ts")).handler.answer(given),
};

export const handler = endpoint(
  {
    method: "POST",
    path: "/mcp",
    prefix: "",
    summary: "Answers a Model Context Protocol request, through which assistants read and write what the caller may.",
    note: "The body is a JSON-RPC 2.0 message of at most 768 KB; there are no sessions, streams or batches. An agent's key, sent as a Bearer token, limits what the tools read and write; with Basic credentials they can do whatever the caller may. An error in a message is returned as a JSON-RPC error, an error in credentials as an error of this API.",
    caller: "user",
    params: {},
    returns: "raw",
    raw: { types: ["application/json"], statuses: [202, 403] },
    renderError: renderRpcError,
    byBearer: authenticateAgent,
    takesJson: true,
    needs: { realm: agentRealm },
    creates: ["message", "topic", "edit", "reaction", "scheduledMessage", "upload", "submessage"],
    uses: {
      table: "readWrite",
      files: "readWrite",
      sends: ["outgoing", "background-jobs", makePreviewsJob.queue],
      schedules: ["deliveries"],
    },
  },
  async ({ caller, realm, request }) => {
    const agentRequest = {
      ...{ caller, realm, writers, baseUrl: linkUrl(request.baseUrl) },
      request: { ...request, client: agentClient(caller, request.client) },
    };
    return answerFrame(request, instructions, methodsFor(agentRequest));
  },
);
