import { badRequest } from "../../base/errors.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { withSubgroups } from "../../services/permissions/rules.ts";
import { findGroupGraph, findGroups, type Group } from "../../store/organization/groups.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { listUsers, type User } from "../../store/users/users.ts";
import { systemGroupMembers } from "./state.ts";

/** IDs of a group's active members, direct or including those of subgroups, ascending. Reads all users. */
export async function listMembers(group: Group, directOnly: boolean, realm: Realm): Promise<number[]> {
  const subgroupIds = directOnly ? [] : await listSubgroupIds(group);
  const [users, subgroups] = await Promise.all([listUsers(), findGroups(subgroupIds)]);
  const activeIds = new Set(users.filter((user) => user.active).map(({ id }) => id));
  const members = [group, ...subgroups].flatMap((each) => (each ? directMembers(each, users, realm) : []));
  return [...new Set(members)].filter((id) => activeIds.has(id)).sort((a, b) => a - b);
}

const directMembers = (group: Group, users: readonly User[], { settings }: Realm): number[] =>
  group.isSystem ? systemGroupMembers(group.id, users, settings.waiting_period_threshold) : [...(group.members ?? [])];

export async function listSubgroupIds(group: Group): Promise<number[]> {
  const subgroupIds = withSubgroups(group.id, await findGroupGraph());
  subgroupIds.delete(group.id);
  return [...subgroupIds].sort((a, b) => a - b);
}

/** Whether a user is a member of a group, directly or through a subgroup. Costs three reads whatever the groups' size. */
export async function isMember(
  caller: Caller,
  group: Group,
  userId: number,
  directOnly: boolean,
  realm: Realm,
): Promise<boolean> {
  const [user] = await findNamedUsers(caller, [userId]);
  if (!user) throw badRequest("Invalid user ID");
  if (!user.active) return false;
  if (directOnly) return directMembers(group, [user], realm).includes(userId);
  const account = await findAccount(user.email);
  return account !== undefined && hasPermission(toCaller(account), group.id, realm.settings);
}
