import { bool, groupSettingUpdate, int, optional, shapeOf, text } from "../../shared/base/schema/params.ts";
import { groupChangedMeanwhile } from "../../shared/core/user-groups/actions.ts";
import { editGroup } from "../../shared/core/user-groups/edit.ts";
import { groupPermissionNames } from "../../shared/core/user-groups/wire.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/user_groups/{user_group_id}",
    summary: "Changes a user group's name, description or permissions, or reactivates it.",
    note: "`deactivated=true` does nothing: use `POST /user_groups/{user_group_id}/deactivate`.",
    caller: "human",
    params: {
      user_group_id: int(),
      name: optional(text()),
      description: optional(text()),
      ...shapeOf(groupPermissionNames, optional(groupSettingUpdate())),
      deactivated: optional(bool()),
    },
    returns: {},
    needs: { realm },
    errors: ["EXPECTATION_MISMATCH"],
    creates: ["permissionMember", "permissionGroup"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params: { user_group_id, ...edit }, realm }) => ({
    change: await editGroup(caller, user_group_id, edit, realm),
  }),
  { exhausted: groupChangedMeanwhile },
);
