import { deleteTopicFor } from "../../shared/channels/delete-topic.ts";
import { accessChannelContent } from "../../shared/channels/standing.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakePush } from "../../shared/push/wake.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/streams/{stream_id}/delete_topic",
    summary:
      "Deletes the messages of a topic, the newest first; `complete` is false when some are left, which then go in the background.",
    caller: "user",
    params: { stream_id: int(), topic_name: text() },
    returns: { complete: bool() },
    uses: { table: "readWrite", sends: ["chores", "push-wakes"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const standing = await accessChannelContent(caller, params.stream_id, realm);
    const complete = await deleteTopicFor(standing, params.topic_name, realm);
    await wakePush(realm);
    return { complete };
  },
);
