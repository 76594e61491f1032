import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { findGroupIdsByName, type Group } from "../store/groups.ts";
import type { Caller } from "../users/caller.ts";
import { changedMeanwhile, changeGroupTo } from "./actions.ts";
import { checkGroupDescription, checkGroupName, groupAlreadyExists } from "./names.ts";
import { groupPermissionRules } from "./permission-rules.ts";
import { accessGroupToManage } from "./permissions.ts";
import { accessGroupSettingUpdates, type GroupSettingUpdate } from "./settings.ts";
import { type settingNames, storedSettings, wireSettings } from "./wire.ts";

/** What a request may change of a group, by its parameters' names. */
export interface GroupEdit extends Partial<Record<keyof typeof settingNames, GroupSettingUpdate | undefined>> {
  name?: string | undefined;
  description?: string | undefined;
  deactivated?: boolean | undefined;
}

const mostAttempts = 6;

/**
 * Changes a group (4.5). Somebody else's change at the same time is not lost: all is looked at again, so that an `old`
 * that does not hold any more is told.
 */
export async function editGroup(caller: Caller, id: number, edit: GroupEdit, realm: Realm): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const { group } = await accessGroupToManage(caller, id, realm);
    if (Object.values(edit).every((value) => value === undefined)) throw badRequest("No new data supplied");
    const changes = await accessChanges(group, edit, realm);
    if (Object.keys(changes).length === 0) return;
    if (await changeGroupTo(group, changes)) return;
  }
  throw changedMeanwhile();
}

async function accessChanges(group: Group, edit: GroupEdit, realm: Realm): Promise<Partial<Group>> {
  const { name: sentName, description: sentDescription, deactivated, ...settings } = edit;
  const changed = await accessGroupSettingUpdates(
    settings,
    wireSettings(group.settings),
    groupPermissionRules,
    realm.usersVersion,
  );
  const name = sentName === undefined ? group.name : await accessName(group, sentName);
  const description = sentDescription === undefined ? group.description : checkGroupDescription(sentDescription);
  return {
    ...(name !== group.name && { name }),
    ...(description !== group.description && { description }),
    // Only this way: a group is deactivated at an endpoint of its own, which looks whether it is in use.
    ...(deactivated === false && group.deactivated && { deactivated: false }),
    ...(Object.keys(changed).length > 0 && { settings: { ...group.settings, ...storedSettings(changed) } }),
  };
}

async function accessName(group: Group, text: string): Promise<string> {
  const name = checkGroupName(text);
  const [taken] = await findGroupIdsByName([name]);
  if (taken !== undefined && taken !== group.id) throw groupAlreadyExists(name);
  return name;
}
