import { bool, int, list, optional, text, withDefault } from "../../shared/base/schema/params.ts";
import { maxKeyChannels, newAgentKey } from "../../shared/features/agents/agent-keys.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/agent_keys",
    summary: "Creates a key with which an assistant can read, and perhaps write, as the caller, at `POST /mcp`.",
    note: "Only this reply contains the key. An app password cannot create one. The key stops working when it is deleted, when its owner gets a new API key, and for as long as the owner may not connect agents (`can_connect_agents_group`, a setting that Zulip does not have). Without `channel_ids`, the key covers all channels that the owner may read; without `write_channel_ids`, a key with `can_write` may write in all channels that it may read. The three parameters after `can_write` have no effect without it.",
    caller: "human",
    params: {
      name: text(),
      channel_ids: optional(list(int(), { max: maxKeyChannels })),
      direct_messages: withDefault(bool(), false),
      can_write: withDefault(bool(), false),
      write_channel_ids: optional(list(int(), { max: maxKeyChannels })),
      write_direct_messages: withDefault(bool(), false),
      may_mention: withDefault(bool(), false),
    },
    returns: { id: int(), key: text() },
    needs: { realm },
    creates: "agentKey",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    await checkIsNoAppPassword(caller);
    const { name, channel_ids: channelIds, direct_messages: directMessages } = params;
    const writing = params.can_write
      ? {
          channelIds: params.write_channel_ids,
          directMessages: params.write_direct_messages,
          mentions: params.may_mention,
        }
      : undefined;
    const { id, key, change } = await newAgentKey(caller, { name, channelIds, directMessages, writing }, realm);
    return { change, reply: { id, key } };
  },
);
