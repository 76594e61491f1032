import { ownerRole, type Role, roles } from "../../base/schema/roles.ts";
import { addMembers, removeMembers } from "../../core/user-groups/membership.ts";
import type { IdentityProvider } from "../../services/identity/providers.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findGroupIdsByName, findGroups } from "../../store/organization/groups.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { changeRole } from "../users/changes.ts";
import type { Claims } from "./claims.ts";

/** What a person's groups at the provider decide here, at each sign-in: their role, and in which user groups they are. */

type GroupClaims = Pick<Claims, "groups">;

/**
 * The role that a person's groups give: the highest, or that of people who join where they are in none; undefined if the provider
 * does not decide about roles, or has not said which groups there are.
 */
export function roleByGroups(
  { groups: mapping = [], role }: IdentityProvider,
  { groups }: GroupClaims,
): Role | undefined {
  const withRoles = mapping.flatMap((each) => (each.role === undefined ? [] : [{ ...each, role: roles[each.role] }]));
  if (withRoles.length === 0 || !groups) return undefined;
  const given = withRoles.filter(({ name }) => groups.includes(name)).map((each) => each.role);
  // A lower number has more permissions.
  return given.length > 0 ? (Math.min(...given) as Role) : roles[role];
}

/**
 * Applies a person's groups to their account, and returns it as it is then. Costs nothing but a read unit for each user group
 * that the provider decides about, unless something changes.
 */
export async function applyGroups(
  provider: IdentityProvider,
  account: Account,
  claims: GroupClaims,
  realm: Realm,
): Promise<Account> {
  if (!provider.groups || !claims.groups) return account;
  const role = roleByGroups(provider, claims);
  const newRole = role !== account.role && mayChangeRole(provider, account, realm) ? role : undefined;
  const groupChanges = await membershipChanges(provider, account, claims.groups);
  if (newRole === undefined && groupChanges.length === 0) return account;
  const [user] = await findUsers([account.userId]);
  if (!user) return account;
  if (newRole !== undefined) await changeRole(user, newRole, realm);
  for (const change of groupChanges) await changeMembership(user, change);
  return (await findAccount(account.email)) ?? account;
}

/** Owners keep their role unless the provider decides who is one, and the last owner keeps it in any case. */
function mayChangeRole({ id, groups = [] }: IdentityProvider, { userId, role }: Account, { ownerIds }: Realm): boolean {
  if (role !== ownerRole) return true;
  if (!groups.some((each) => each.role === "owner")) return false;
  const isLast = ![...(ownerIds ?? [])].some((ownerId) => ownerId !== userId);
  if (isLast) log(id, `user ${userId} stays an owner, because there is no other`);
  return !isLast;
}

interface MembershipChange {
  groupId: number;
  isMember: boolean;
}

async function membershipChanges(
  { id: providerId, groups: mapping = [] }: IdentityProvider,
  { groupIds = new Set() }: Account,
  groups: readonly string[],
): Promise<MembershipChange[]> {
  const names = [...new Set(mapping.flatMap(({ user_group: name }) => name ?? []))];
  if (names.length === 0) return [];
  const ids = await findGroupIdsByName(names);
  return names.flatMap((name, index) => {
    const groupId = ids[index];
    if (groupId === undefined) log(providerId, `there is no user group "${name}"`);
    const isMember = mapping.some((each) => each.user_group === name && groups.includes(each.name));
    return groupId === undefined || groupIds.has(groupId) === isMember ? [] : [{ groupId, isMember }];
  });
}

async function changeMembership(user: User, { groupId, isMember }: MembershipChange): Promise<void> {
  const [group] = await findGroups([groupId]);
  // Members of system groups follow from their roles, and those of deactivated groups do not change.
  if (!group || group.isSystem || group.deactivated) return;
  try {
    await (isMember ? addMembers : removeMembers)(group, [user]);
  } catch (error) {
    // The same person may have signed in meanwhile, in another window.
    if (((await findAccount(user.email))?.groupIds?.has(groupId) ?? false) !== isMember) throw error;
  }
}

const log = (identityProvider: string, problem: string) => console.error(JSON.stringify({ identityProvider, problem }));
