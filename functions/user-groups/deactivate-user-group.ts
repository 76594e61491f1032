import { int } from "../../shared/base/schema/params.ts";
import { deactivateGroup } from "../../shared/core/user-groups/actions.ts";
import { accessActiveGroupToManage } from "../../shared/core/user-groups/permissions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadRealm, realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/{user_group_id}/deactivate",
    summary: "Deactivates a user group that is not in use.",
    note: "A group is in use if another group contains it, or if it is named in a permission of the organization, of a channel or of another group, including deactivated ones. Its own permissions do not count.",
    caller: "human",
    params: { user_group_id: int() },
    returns: {},
    needs: { realm },
    errors: ["CANNOT_DEACTIVATE_GROUP_IN_USE"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const { group } = await accessActiveGroupToManage(caller, params.user_group_id, realm);
    await deactivateGroup(group, loadRealm);
  },
);
