import { badRequest, insufficientPermission } from "../../base/errors.ts";
import { checkNotGuest } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type HasPermission, hasPermission, loadPermissions } from "../../services/permissions/access.ts";
import { findGroups, type Group } from "../../store/organization/groups.ts";

interface GroupAccess {
  caller: Caller;
  group: Group;
  isGranted: HasPermission;
  mayManage: boolean;
}

const invalidGroup = () => badRequest("Invalid user group");
export const groupIsDeactivated = () => badRequest("User group is deactivated.");

export async function accessGroup(id: number): Promise<Group> {
  const [group] = await findGroups([id]);
  if (!group) throw invalidGroup();
  return group;
}

/** Returns a custom group with the caller's permissions; system groups cannot be changed. */
export async function accessGroupToChange(caller: Caller, id: number, realm: Realm): Promise<GroupAccess> {
  checkNotGuest(caller);
  const group = await accessGroup(id);
  if (group.isSystem) throw insufficientPermission();
  const manageAllPermission = realm.settings.can_manage_all_groups;
  const isGranted = await loadPermissions(
    caller,
    [...Object.values(group.settings), manageAllPermission],
    realm.settings,
  );
  const mayManage = isGranted(group.settings.canManageGroup) || isGranted(manageAllPermission);
  return { caller, group, isGranted, mayManage };
}

/** Returns a group whose own fields the caller may change. */
export async function accessGroupToManage(caller: Caller, id: number, realm: Realm): Promise<GroupAccess> {
  const access = await accessGroupToChange(caller, id, realm);
  if (!access.mayManage) throw insufficientPermission();
  return access;
}

/** Like `accessGroupToManage`, but throws for a deactivated group. */
export async function accessActiveGroupToManage(caller: Caller, id: number, realm: Realm): Promise<GroupAccess> {
  const access = await accessGroupToManage(caller, id, realm);
  if (access.group.deactivated) throw groupIsDeactivated();
  return access;
}

export async function checkMayCreateGroup(caller: Caller, { settings }: Realm): Promise<void> {
  if (!(await hasPermission(caller, settings.can_create_groups, settings))) throw insufficientPermission();
}

/** Whether the caller may add these users: others, or only themselves. */
export const mayAddMembers = ({ caller, group, isGranted, mayManage }: GroupAccess, userIds: readonly number[]) =>
  mayManage ||
  isGranted(group.settings.canAddMembersGroup) ||
  (userIds.every((id) => id === caller.id) && isGranted(group.settings.canJoinGroup));

export const mayRemoveMembers = ({ caller, group, isGranted, mayManage }: GroupAccess, userIds: readonly number[]) =>
  mayManage ||
  isGranted(group.settings.canRemoveMembersGroup) ||
  (userIds.every((id) => id === caller.id) && isGranted(group.settings.canLeaveGroup));
