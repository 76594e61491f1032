import { bool, int, list, withDefault } from "../../shared/base/schema/params.ts";
import { listMembers } from "../../shared/core/user-groups/members.ts";
import { accessGroup } from "../../shared/core/user-groups/permissions.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups/{user_group_id}/members",
    summary: "Lists a user group's direct members, or also those of its subgroups.",
    caller: "user",
    params: { user_group_id: int(), direct_member_only: withDefault(bool(), false) },
    returns: { members: list(int()) },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ params, realm }) => {
    const group = await accessGroup(params.user_group_id);
    return { members: await listMembers(group, params.direct_member_only, realm) };
  },
);
