import { int } from "../../shared/base/schema/params.ts";
import { removeDefaultStreamGroup } from "../../shared/core/default-streams/groups.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/default_stream_groups/{group_id}",
    summary: "Deletes a default channel group, but not its channels.",
    caller: "admin",
    params: { group_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removeDefaultStreamGroup(params.group_id),
);
