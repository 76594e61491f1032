import { bool, int, list, optional, text, withDefault } from "../../shared/base/schema/params.ts";
import { maxKeyChannels, newAgentKey } from "../../shared/features/agents/agent-keys.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/agent_keys",
    summary: "Creates a key with which an assistant can read as the caller, at `POST /mcp`.",
    note: "Only this reply contains the key. The key stops working when it is deleted, when its owner gets a new API key, and for as long as the owner may not create bots (`can_create_bots_group`). Without `channel_ids`, it covers all channels that the owner may read.",
    caller: "human",
    params: {
      name: text(),
      channel_ids: optional(list(int(), { max: maxKeyChannels })),
      direct_messages: withDefault(bool(), false),
    },
    returns: { id: int(), key: text() },
    needs: { realm },
    creates: "agentKey",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const { name, channel_ids: channelIds, direct_messages: directMessages } = params;
    const { id, key, change } = await newAgentKey(caller, { name, channelIds, directMessages }, realm);
    return { change, reply: { id, key } };
  },
);
