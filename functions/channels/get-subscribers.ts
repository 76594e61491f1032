import { int, list } from "../../shared/base/schema/params.ts";
import { accessChannel } from "../../shared/core/channels/channel-access.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { listSubscriberIds } from "../../shared/store/channels/subscriptions.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}/members",
    summary: "Lists the IDs of a channel's subscribers.",
    caller: "user",
    params: { stream_id: int() },
    returns: { subscribers: list(int()) },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const { channel } = await accessChannel(caller, params.stream_id, realm);
    return { subscribers: await listSubscriberIds(channel.id) };
  },
);
