import { endpoint } from "../../shared/http/endpoint.ts";
import { checkNotGuest } from "../../shared/identity/access.ts";
import { countCreations } from "../../shared/identity/creation-counts.ts";
import { realm } from "../../shared/organization/access.ts";
import { groupPermissionRules } from "../../shared/permissions/permission-rules.ts";
import { groupSetting, int, list, optional, shapeOf, text, withDefault } from "../../shared/schema/params.ts";
import { addGroup } from "../../shared/user-groups/actions.ts";
import { accessMembers, checkSubgroups } from "../../shared/user-groups/membership.ts";
import {
  checkGroupDescription,
  checkGroupName,
  checkGroupNameFree,
  maxRequestedSubgroups,
} from "../../shared/user-groups/names.ts";
import { checkMayCreateGroup } from "../../shared/user-groups/permissions.ts";
import { checkGroupSettings } from "../../shared/user-groups/settings.ts";
import { fromGroupSettingsWire, groupPermissionNames } from "../../shared/user-groups/wire.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/create",
    summary: "Creates a user group with its members.",
    note: "Permissions with several subgroups are refused if they contain a system group that the setting does not allow on its own; `role:nobody` among others is accepted. A new group may name at most 40 user-defined groups.",
    caller: "human",
    params: {
      name: text(),
      description: text(),
      members: list(int()),
      subgroups: withDefault(list(int(), { max: maxRequestedSubgroups }), []),
      ...shapeOf(groupPermissionNames, optional(groupSetting())),
    },
    returns: { group_id: int() },
    needs: { realm },
    creates: ["userGroup", "groupMember", "subgroup", "permissionMember", "permissionGroup"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    checkNotGuest(caller);
    await checkMayCreateGroup(caller, realm);
    const name = checkGroupName(params.name);
    const description = checkGroupDescription(params.description);
    await checkGroupNameFree(name);
    const { name: _, description: __, members: memberIds, subgroups, ...permissions } = params;
    const members = await accessMembers(caller, memberIds);
    const subgroupIds = [...new Set(subgroups)];
    await checkSubgroups(subgroupIds);
    const settings = fromGroupSettingsWire(await checkGroupSettings(caller, permissions, groupPermissionRules));
    await countCreations(caller, "groupMember", members.length);
    await countCreations(caller, "subgroup", subgroupIds.length);
    const group = await addGroup(caller.id, { name, description, members, subgroupIds, settings });
    return { group_id: group.id };
  },
);
