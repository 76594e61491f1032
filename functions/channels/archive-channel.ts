import { archiveChannel } from "../../shared/channels/edit.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/streams/{stream_id}",
    summary: "Archives a channel.",
    caller: "user",
    params: { stream_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await archiveChannel(caller, params.stream_id, await accessRealm());
  },
);
