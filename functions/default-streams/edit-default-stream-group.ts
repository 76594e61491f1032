import { int, optional, string, text } from "../../shared/base/schema/params.ts";
import { changeDefaultStreamGroup, maxGroupDescriptionLength } from "../../shared/core/default-streams/groups.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/default_stream_groups/{group_id}",
    summary: "Changes the name or description of a default channel group.",
    caller: "admin",
    params: {
      group_id: int(),
      new_group_name: optional(text()),
      new_description: optional(string({ max: maxGroupDescriptionLength })),
    },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params: { group_id, new_group_name, new_description } }) => ({
    change: await changeDefaultStreamGroup(group_id, { name: new_group_name, description: new_description }),
  }),
);
