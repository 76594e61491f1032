import { int } from "../../shared/base/schema/params.ts";
import { accessChannel } from "../../shared/core/channels/channel-access.ts";
import { withVisiblePermissions } from "../../shared/core/channels/visible-permissions.ts";
import { channelObject, toChannelWire } from "../../shared/core/channels/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}",
    summary: "Returns a channel that the caller may see.",
    caller: "user",
    params: { stream_id: int() },
    returns: { stream: channelObject },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const { channel } = await accessChannel(caller, params.stream_id, realm);
    const [visibleChannel = channel] = await withVisiblePermissions([channel], realm.usersVersion);
    return { stream: toChannelWire(visibleChannel) };
  },
);
