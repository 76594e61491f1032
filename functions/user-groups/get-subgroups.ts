import { bool, int, list, withDefault } from "../../shared/base/schema/params.ts";
import { listSubgroupIds } from "../../shared/core/user-groups/members.ts";
import { accessGroup } from "../../shared/core/user-groups/permissions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups/{user_group_id}/subgroups",
    summary: "Lists a user group's direct subgroups, or those at any depth.",
    caller: "user",
    params: { user_group_id: int(), direct_subgroup_only: withDefault(bool(), false) },
    returns: { subgroups: list(int()) },
    uses: { table: "read" },
  },
  async ({ params }) => {
    const group = await accessGroup(params.user_group_id);
    return { subgroups: params.direct_subgroup_only ? group.subgroupIds : await listSubgroupIds(group) };
  },
);
