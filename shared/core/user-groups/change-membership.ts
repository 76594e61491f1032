import { badRequest, insufficientPermission } from "../../base/errors.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { countCreations } from "../../services/identity/creation-counts.ts";
import type { Realm } from "../../services/organization/access.ts";
import {
  accessMembers,
  accessMembersToRemove,
  addMembers,
  changeSubgroups,
  checkNoneAreMembers,
  removeMembers,
} from "./membership.ts";
import { accessGroupToChange, groupIsDeactivated, mayAddMembers, mayRemoveMembers } from "./permissions.ts";
import { checkMembersAdded } from "./totals.ts";

/** A user ID that is not the caller's. */
const somebodyElse = -1;

interface MembershipEdit {
  add: readonly number[];
  remove: readonly number[];
  addSubgroups: readonly number[];
  removeSubgroups: readonly number[];
}

/**
 * Changes a group's members and subgroups. All checks come first, then the subgroups in one transaction, then members in
 * batches.
 */
export async function changeMembership(
  caller: Caller,
  id: number,
  { add, remove, addSubgroups, removeSubgroups }: MembershipEdit,
  realm: Realm,
): Promise<void> {
  const access = await accessGroupToChange(caller, id, realm);
  const { group } = access;
  if ([add, remove, addSubgroups, removeSubgroups].every((ids) => ids.length === 0))
    throw badRequest('Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".');
  // Changing subgroups takes the permission to add or remove other users.
  const adds = addSubgroups.length > 0 ? [...add, somebodyElse] : add;
  const removes = removeSubgroups.length > 0 ? [...remove, somebodyElse] : remove;
  if (adds.length > 0 && !mayAddMembers(access, adds)) throw insufficientPermission();
  if (removes.length > 0 && !mayRemoveMembers(access, removes)) throw insufficientPermission();
  if (group.deactivated) throw groupIsDeactivated();
  const [toAdd, toRemove] = await Promise.all([
    accessMembers(caller, add),
    accessMembersToRemove(caller, remove, group),
  ]);
  checkNoneAreMembers(group, toAdd);
  await checkMembersAdded(toAdd.length);
  await countCreations(caller, "groupMember", toAdd.length);
  await countCreations(caller, "subgroup", new Set(addSubgroups).size);
  if (addSubgroups.length > 0 || removeSubgroups.length > 0)
    await changeSubgroups(group, addSubgroups, removeSubgroups);
  await addMembers(group, toAdd);
  await removeMembers(group, toRemove);
}
