import { badRequest } from "../../base/errors.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { groupPermissionRules } from "../../services/permissions/permission-rules.ts";
import type { Change } from "../../store/log/log.ts";
import { findGroupIdsByName, type Group } from "../../store/organization/groups.ts";
import { groupChange } from "./actions.ts";
import { checkGroupDescription, checkGroupName, groupAlreadyExists } from "./names.ts";
import { accessGroupToManage } from "./permissions.ts";
import { checkGroupSettingUpdates, type GroupSettingUpdate } from "./settings.ts";
import { fromGroupSettingsWire, type settingNames, toGroupSettingsWire } from "./wire.ts";

interface GroupEdit extends Partial<Record<keyof typeof settingNames, GroupSettingUpdate | undefined>> {
  name?: string | undefined;
  description?: string | undefined;
  deactivated?: boolean | undefined;
}

/** The change that an edit of a group makes; undefined if nothing changes. Conflicts with a concurrent change. */
export async function editGroup(
  caller: Caller,
  id: number,
  edit: GroupEdit,
  realm: Realm,
): Promise<Change | undefined> {
  const { group } = await accessGroupToManage(caller, id, realm);
  if (Object.values(edit).every((value) => value === undefined)) throw badRequest("No new data supplied");
  const changes = await checkGroupEdit(caller, group, edit, realm);
  return Object.keys(changes).length > 0 ? groupChange(group, changes) : undefined;
}

async function checkGroupEdit(caller: Caller, group: Group, edit: GroupEdit, realm: Realm): Promise<Partial<Group>> {
  const { name: sentName, description: sentDescription, deactivated, ...settings } = edit;
  const changedSettings = await checkGroupSettingUpdates(
    caller,
    settings,
    toGroupSettingsWire(group.settings),
    groupPermissionRules,
    realm.usersVersion,
  );
  const name = sentName === undefined ? group.name : await checkNewName(group, sentName);
  const description = sentDescription === undefined ? group.description : checkGroupDescription(sentDescription);
  return {
    ...(name !== group.name && { name }),
    ...(description !== group.description && { description }),
    // Reactivation only: deactivating has its own endpoint, which checks that the group is unused.
    ...(deactivated === false && group.deactivated && { deactivated: false }),
    ...(Object.keys(changedSettings).length > 0 && {
      settings: { ...group.settings, ...fromGroupSettingsWire(changedSettings) },
    }),
  };
}

async function checkNewName(group: Group, text: string): Promise<string> {
  const name = checkGroupName(text);
  const [holderId] = await findGroupIdsByName([name]);
  if (holderId !== undefined && holderId !== group.id) throw groupAlreadyExists(name);
  return name;
}
