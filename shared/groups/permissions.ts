import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { findGroups, type Group } from "../store/groups.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import { type Holds, permissionsAmong } from "./access.ts";

/** A group with what the caller may do to it. */
export interface GroupStanding {
  caller: Caller;
  group: Group;
  holds: Holds;
  mayManage: boolean;
}

export const invalidGroup = () => badRequest("Invalid user group");
export const insufficient = () => badRequest("Insufficient permission");
export const groupIsDeactivated = () => badRequest("User group is deactivated.");

export function checkNotGuest(caller: Caller): void {
  if (isGuest(caller)) throw badRequest("Not allowed for guest users");
}

export async function accessGroup(id: number): Promise<Group> {
  const [group] = await findGroups([id]);
  if (!group) throw invalidGroup();
  return group;
}

/** A group made by people, that the caller may perhaps change; system groups follow from roles alone. */
export async function accessGroupToChange(caller: Caller, id: number, realm: Realm): Promise<GroupStanding> {
  checkNotGuest(caller);
  const group = await accessGroup(id);
  if (group.isSystem) throw insufficient();
  const everyGroup = realm.settings.can_manage_all_groups;
  const holds = await permissionsAmong(caller, [...Object.values(group.settings), everyGroup], realm.settings);
  const mayManage = holds(group.settings.canManageGroup) || holds(everyGroup);
  return { caller, group, holds, mayManage };
}

/** A group whose own fields the caller may change. */
export async function accessGroupToManage(caller: Caller, id: number, realm: Realm): Promise<GroupStanding> {
  const standing = await accessGroupToChange(caller, id, realm);
  if (!standing.mayManage) throw insufficient();
  return standing;
}

/** Whether the caller may put these users into the group: others, or only themselves. */
export const mayAddMembers = ({ caller, group, holds, mayManage }: GroupStanding, userIds: readonly number[]) =>
  mayManage ||
  holds(group.settings.canAddMembersGroup) ||
  (userIds.every((id) => id === caller.id) && holds(group.settings.canJoinGroup));

export const mayRemoveMembers = ({ caller, group, holds, mayManage }: GroupStanding, userIds: readonly number[]) =>
  mayManage ||
  holds(group.settings.canRemoveMembersGroup) ||
  (userIds.every((id) => id === caller.id) && holds(group.settings.canLeaveGroup));
