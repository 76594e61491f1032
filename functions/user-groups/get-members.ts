import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { bool, int, list, withDefault } from "../../shared/schema/params.ts";
import { listMembers } from "../../shared/user-groups/members.ts";
import { accessGroup } from "../../shared/user-groups/permissions.ts";

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
