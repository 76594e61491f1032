import { int, oneOf, optional, string, text } from "../../shared/base/schema/params.ts";
import { toStoredTopic } from "../../shared/core/channels/topic-names.ts";
import { accessTopicsChannel, checkMuteChange, checkOneChannel } from "../../shared/core/user-topics/access.ts";
import { topicPolicyChange } from "../../shared/core/user-topics/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/users/me/subscriptions/muted_topics",
    summary: "Mutes or unmutes a topic for the caller. For older clients; others use `POST /user_topics`.",
    caller: "user",
    params: {
      stream: optional(string()),
      stream_id: optional(int()),
      topic: text(),
      op: oneOf(["add", "remove"]),
    },
    returns: {},
    needs: { realm },
    creates: "topicPolicy",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const idOrName = checkOneChannel(params);
    const channel = await accessTopicsChannel(caller, idOrName);
    const topic = toStoredTopic(params.topic, realm.settings);
    await checkMuteChange(caller, channel, topic, params.op);
    // Zulip's numbers for the policies: 0 none (the default), 1 muted.
    return { change: await topicPolicyChange(caller.id, channel, topic, params.op === "add" ? 1 : 0) };
  },
);
