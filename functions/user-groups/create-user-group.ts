import { groupSetting, int, list, optional, shapeOf, text, withDefault } from "../../shared/base/schema/params.ts";
import { addGroup } from "../../shared/core/user-groups/actions.ts";
import { accessMembers, checkSubgroups } from "../../shared/core/user-groups/membership.ts";
import {
  checkGroupDescription,
  checkGroupName,
  checkGroupNameFree,
  maxRequestedSubgroups,
} from "../../shared/core/user-groups/names.ts";
import { checkMayCreateGroup } from "../../shared/core/user-groups/permissions.ts";
import { checkGroupSettings } from "../../shared/core/user-groups/settings.ts";
import { fromGroupSettingsWire, groupPermissionNames } from "../../shared/core/user-groups/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkNotGuest } from "../../shared/services/identity/access.ts";
import { countCreations } from "../../shared/services/identity/creation-counts.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { groupPermissionRules } from "../../shared/services/permissions/permission-rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/create",
    summary: "Creates a user group with its members.",
    note: "A permission with several subgroups is refused if it contains a system group that the setting does not allow on its own, except `role:nobody`. A new group may name at most 40 user-defined groups.",
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
