import { int, oneOfInts, text } from "../../shared/base/schema/params.ts";
import { toStoredTopic } from "../../shared/core/channels/topic-names.ts";
import { accessTopicsChannel } from "../../shared/core/user-topics/access.ts";
import { topicPolicyChange } from "../../shared/core/user-topics/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { visibilityPolicies } from "../../shared/store/channels/user-topics.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/user_topics",
    summary: "Mutes, unmutes or follows a topic for the caller, or resets it to the default.",
    caller: "user",
    // Zulip's numbers for the policies: 0 none (the default), 1 muted, 2 unmuted, 3 followed.
    params: { stream_id: int(), topic: text(), visibility_policy: oneOfInts(Object.values(visibilityPolicies)) },
    returns: {},
    needs: { realm },
    creates: "topicPolicy",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const channel = await accessTopicsChannel(caller, params.stream_id);
    const topic = toStoredTopic(params.topic, realm.settings);
    return { change: await topicPolicyChange(caller.id, channel, topic, params.visibility_policy) };
  },
);
