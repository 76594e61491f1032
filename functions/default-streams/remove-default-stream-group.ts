import { removeDefaultStreamGroup } from "../../shared/default-streams/groups.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/schema/params.ts";

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
