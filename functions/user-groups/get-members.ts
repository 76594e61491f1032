import { allMembers } from "../../shared/groups/members.ts";
import { accessGroup } from "../../shared/groups/permissions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups/{user_group_id}/members",
    summary: "Lists the members of a user group: its own, or those of its subgroups too.",
    caller: "user",
    params: { user_group_id: int(), direct_member_only: withDefault(bool(), false) },
    returns: { members: list(int(), { max: 1_000_000 }) },
    uses: { table: "read" },
  },
  async ({ params }) => {
    const [realm, group] = await Promise.all([accessRealm(), accessGroup(params.user_group_id)]);
    return { members: await allMembers(group, params.direct_member_only, realm) };
  },
);
