import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, oneOf, optional, string, text } from "../../shared/http/params.ts";
import { topicName } from "../../shared/messages/topics.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { findUserTopic } from "../../shared/store/user-topics.ts";
import { accessTopicsChannel } from "../../shared/user-topics/access.ts";
import { setTopicPolicy } from "../../shared/user-topics/actions.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/users/me/subscriptions/muted_topics",
    summary: "Mutes a topic for the caller or takes that back; older than POST /user_topics.",
    caller: "user",
    params: {
      stream: optional(string()),
      stream_id: optional(int()),
      topic: text(),
      op: oneOf(["add", "remove"]),
    },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const named = params.stream_id ?? params.stream;
    if (named === undefined) throw badRequest("Please supply 'stream' or 'stream_id'.");
    if (params.stream_id !== undefined && params.stream !== undefined)
      throw badRequest("Please choose one: 'stream' or 'stream_id'.");
    const [realm, channel] = await Promise.all([accessRealm(), accessTopicsChannel(caller, named)]);
    const topic = topicName(params.topic, realm.settings);
    const isMuted = (await findUserTopic(caller.id, channel.id, topic))?.policy === 1;
    if (params.op === "remove" && !isMuted) throw badRequest("Topic is not muted");
    await setTopicPolicy(caller.id, channel, topic, params.op === "add" ? 1 : 0);
  },
);
