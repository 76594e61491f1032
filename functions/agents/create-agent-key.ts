import { bool, int, list, optional, text, withDefault } from "../../shared/base/schema/params.ts";
import { maxKeyChannels, newAgentKey } from "../../shared/features/agents/agent-keys.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/agent_keys",
    summary: "Creates a key by which an assistant may read as the caller, at `POST /mcp`.",
    note: "The reply is the only one that contains the key. It ends when it is deleted, with a new API key of its owner, and while they may not create bots (`can_create_bots_group`). `channel_ids` absent: all channels that the owner may read.",
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
