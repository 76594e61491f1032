import { deactivateGroup } from "../../shared/groups/actions.ts";
import { accessGroupToManage, groupIsDeactivated } from "../../shared/groups/permissions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/{user_group_id}/deactivate",
    summary: "Deactivates a user group that is not in use.",
    caller: "human",
    params: { user_group_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const { group } = await accessGroupToManage(caller, params.user_group_id, await accessRealm());
    if (group.deactivated) throw groupIsDeactivated();
    await deactivateGroup(group, accessRealm);
  },
);
