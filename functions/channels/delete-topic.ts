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
    note: "Requires the permission to delete any message, the organization's or the channel's; where history is protected it deletes what the caller can read. It works for 15 s at most. A client may repeat the call, but need not: the job is completed even if a function dies. Messages sent after the newest one that the request found stay.",
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
