import { bool, int, text } from "../../shared/base/schema/params.ts";
import { accessChannelContent } from "../../shared/core/channels/channel-access.ts";
import { deleteTopicFor } from "../../shared/features/channels/delete-topic.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/streams/{stream_id}/delete_topic",
    summary:
      "Deletes a topic's messages, newest first. If `complete` is false, a background job deletes the remaining ones.",
    note: "Requires the permission to delete any message, in the organization or in the channel. Where history is protected, only messages that the caller can read are deleted. The request works for at most 15 s. A client may repeat the call, but need not: the job is completed even if a function dies. Messages sent after the newest one that the request found are kept.",
    caller: "user",
    params: { stream_id: int(), topic_name: text() },
    returns: { complete: bool() },
    needs: { realm },
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => {
    const access = await accessChannelContent(caller, params.stream_id, realm);
    const complete = await deleteTopicFor(access, params.topic_name, realm);
    return { complete };
  },
);
