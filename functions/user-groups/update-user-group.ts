import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { bool, groupSettingUpdate, int, optional, text } from "../../shared/schema/params.ts";
import { editGroup } from "../../shared/user-groups/edit.ts";

export const handler = endpoint(
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
      can_add_members_group: optional(groupSettingUpdate()),
      can_join_group: optional(groupSettingUpdate()),
      can_leave_group: optional(groupSettingUpdate()),
      can_manage_group: optional(groupSettingUpdate()),
      can_mention_group: optional(groupSettingUpdate()),
      can_remove_members_group: optional(groupSettingUpdate()),
      deactivated: optional(bool()),
    },
    returns: {},
    prefetch: accessRealm,
    errors: ["EXPECTATION_MISMATCH"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params: { user_group_id, ...edit } }) => {
    await editGroup(caller, user_group_id, edit, await accessRealm());
  },
);
