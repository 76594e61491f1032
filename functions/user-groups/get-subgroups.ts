import { subgroupsOf } from "../../shared/groups/members.ts";
import { accessGroup } from "../../shared/groups/permissions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, withDefault } from "../../shared/http/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups/{user_group_id}/subgroups",
    summary: "Lists the subgroups of a user group: its own, or those at any depth.",
    caller: "user",
    params: { user_group_id: int(), direct_subgroup_only: withDefault(bool(), false) },
    returns: { subgroups: list(int()) },
    uses: { table: "read" },
  },
  async ({ params }) => {
    const group = await accessGroup(params.user_group_id);
    return { subgroups: params.direct_subgroup_only ? group.subgroupIds : await subgroupsOf(group) };
  },
);
