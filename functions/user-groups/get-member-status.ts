import { bool, int, withDefault } from "../../shared/base/schema/params.ts";
import { isMember } from "../../shared/core/user-groups/members.ts";
import { accessGroup } from "../../shared/core/user-groups/permissions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups/{user_group_id}/members/{user_id}",
    summary: "Returns whether a user is a member of a user group.",
    caller: "user",
    params: { user_group_id: int(), user_id: int(), direct_member_only: withDefault(bool(), false) },
    returns: { is_user_group_member: bool() },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const group = await accessGroup(params.user_group_id);
    const { user_id, direct_member_only } = params;
    return { is_user_group_member: await isMember(caller, group, user_id, direct_member_only, realm) };
  },
);
