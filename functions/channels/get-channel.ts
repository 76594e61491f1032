import { shownChannels } from "../../shared/channels/shown.ts";
import { accessChannel } from "../../shared/channels/standing.ts";
import { channelObject, wireChannel } from "../../shared/channels/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}",
    summary: "Returns a channel that the caller may know of.",
    caller: "user",
    params: { stream_id: int() },
    returns: { stream: channelObject },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const { channel } = await accessChannel(caller, params.stream_id, realm);
    const [shown = channel] = await shownChannels([channel], realm.usersVersion);
    return { stream: wireChannel(shown) };
  },
);
