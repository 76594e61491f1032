import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import type { Caller } from "../users/caller.ts";
import {
  accessLeaving,
  accessMembers,
  addMembers,
  changeSubgroups,
  checkNoMember,
  removeMembers,
} from "./membership.ts";
import {
  accessGroupToChange,
  groupIsDeactivated,
  insufficient,
  mayAddMembers,
  mayRemoveMembers,
} from "./permissions.ts";

export interface MembershipChange {
  add: readonly number[];
  remove: readonly number[];
  addSubgroups: readonly number[];
  removeSubgroups: readonly number[];
}

/** Changes who is in a group. All checks come first; subgroups next, whose change is one transaction. */
export async function changeMembership(
  caller: Caller,
  id: number,
  { add, remove, addSubgroups, removeSubgroups }: MembershipChange,
  realm: Realm,
): Promise<void> {
  const standing = await accessGroupToChange(caller, id, realm);
  const { group } = standing;
  if ([add, remove, addSubgroups, removeSubgroups].every((ids) => ids.length === 0))
    throw badRequest('Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".');
  // Nobody is "themselves" where subgroups come or go: that takes the permission to add or remove others.
  const adds = addSubgroups.length > 0 ? [...add, -1] : add;
  const removes = removeSubgroups.length > 0 ? [...remove, -1] : remove;
  if (adds.length > 0 && !mayAddMembers(standing, adds)) throw insufficient();
  if (removes.length > 0 && !mayRemoveMembers(standing, removes)) throw insufficient();
  if (group.deactivated) throw groupIsDeactivated();
  const [coming, leaving] = await Promise.all([accessMembers(add), accessLeaving(remove, group)]);
  checkNoMember(group, coming);
  if (addSubgroups.length > 0 || removeSubgroups.length > 0)
    await changeSubgroups(group, addSubgroups, removeSubgroups);
  await addMembers(group, coming);
  await removeMembers(group, leaving);
}
