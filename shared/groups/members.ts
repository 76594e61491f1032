import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { findAccount } from "../store/accounts.ts";
import { findGroupGraph, findGroups, type Group } from "../store/groups.ts";
import { findUser, listUsers, type User } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import { hasPermission } from "./access.ts";
import { withSubgroups } from "./rules.ts";
import { systemGroupMembers } from "./state.ts";

/** Active members of a group, ascending: its own, or those of all groups inside it. It reads all users. */
export async function allMembers(group: Group, directOnly: boolean, realm: Realm): Promise<number[]> {
  const inside = directOnly ? [] : await subgroupsOf(group);
  const [users, others] = await Promise.all([listUsers(), findGroups(inside)]);
  const active = new Set(users.filter((user) => user.active).map(({ id }) => id));
  const members = [group, ...others].flatMap((each) => (each ? directMembers(each, users, realm) : []));
  return [...new Set(members)].filter((id) => active.has(id)).sort((a, b) => a - b);
}

const directMembers = (group: Group, users: readonly User[], { settings }: Realm): number[] =>
  group.isSystem ? systemGroupMembers(group.id, users, settings.waiting_period_threshold) : [...(group.members ?? [])];

/** IDs of all groups inside a group, itself left out. */
export async function subgroupsOf(group: Group): Promise<number[]> {
  const inside = withSubgroups(group.id, await findGroupGraph());
  inside.delete(group.id);
  return [...inside].sort((a, b) => a - b);
}

/** Whether a user is in a group, by themselves or through a subgroup: three reads, however large the groups are. */
export async function isMember(group: Group, userId: number, directOnly: boolean, realm: Realm): Promise<boolean> {
  const user = await findUser(userId);
  if (!user) throw badRequest("Invalid user ID");
  if (!user.active) return false;
  if (directOnly) return directMembers(group, [user], realm).includes(userId);
  const account = await findAccount(user.email);
  return account !== undefined && hasPermission(callerOf(account), group.id, realm.settings);
}
