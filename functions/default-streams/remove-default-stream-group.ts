import { removeGroup } from "../../shared/default-streams/groups.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/default_stream_groups/{group_id}",
    summary: "Removes a group of channels that whoever joins may choose; the channels stay.",
    caller: "admin",
    params: { group_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removeGroup(params.group_id),
);
