import { toStoredTopic } from "../../shared/channels/topic-names.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, oneOfInts, text } from "../../shared/schema/params.ts";
import { visibilityPolicies } from "../../shared/store/channels/user-topics.ts";
import { accessTopicsChannel } from "../../shared/user-topics/access.ts";
import { setTopicPolicy } from "../../shared/user-topics/actions.ts";

export const handler = endpoint(
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
    await setTopicPolicy(caller.id, channel, toStoredTopic(params.topic, realm.settings), params.visibility_policy);
  },
);
