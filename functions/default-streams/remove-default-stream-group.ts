import { int } from "../../shared/base/schema/params.ts";
import { removeDefaultStreamGroup } from "../../shared/core/default-streams/groups.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/default_stream_groups/{group_id}",
    summary: "Deletes a default channel group, but not its channels.",
    caller: "admin",
    params: { group_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await removeDefaultStreamGroup(params.group_id) }),
);
