import { hasPermission } from "../../shared/groups/access.ts";
import { addGroup } from "../../shared/groups/actions.ts";
import { accessMembers, accessSubgroups } from "../../shared/groups/membership.ts";
import { checkGroupDescription, checkGroupName, groupAlreadyExists } from "../../shared/groups/names.ts";
import { groupPermissionRules } from "../../shared/groups/permission-rules.ts";
import { checkNotGuest, insufficient } from "../../shared/groups/permissions.ts";
import { accessGroupSettings } from "../../shared/groups/settings.ts";
import { storedSettings } from "../../shared/groups/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { groupSetting, int, list, optional, text, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { findGroupIdsByName } from "../../shared/store/groups.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/create",
    summary: "Creates a user group with its members.",
    caller: "human",
    params: {
      name: text(),
      description: text(),
      members: list(int()),
      subgroups: withDefault(list(int(), { max: 80 }), []),
      can_add_members_group: optional(groupSetting()),
      can_join_group: optional(groupSetting()),
      can_leave_group: optional(groupSetting()),
      can_manage_group: optional(groupSetting()),
      can_mention_group: optional(groupSetting()),
      can_remove_members_group: optional(groupSetting()),
    },
    returns: { group_id: int() },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    checkNotGuest(caller);
    const { settings } = await accessRealm();
    if (!(await hasPermission(caller, settings.can_create_groups, settings))) throw insufficient();
    const name = checkGroupName(params.name);
    const description = checkGroupDescription(params.description);
    const [taken] = await findGroupIdsByName([name]);
    if (taken !== undefined) throw groupAlreadyExists(name);
    const { name: _, description: __, members: memberIds, subgroups, ...permissions } = params;
    const members = await accessMembers(memberIds);
    const subgroupIds = [...new Set(subgroups)];
    await accessSubgroups(subgroupIds);
    const given = storedSettings(await accessGroupSettings(permissions, groupPermissionRules));
    const group = await addGroup(caller, { name, description, members, subgroupIds, settings: given });
    return { group_id: group.id };
  },
);
