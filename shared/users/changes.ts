import { roleChange } from "../channels/role-feed.ts";
import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { type Account, findAccount, moveAccount, updateAccount } from "../store/accounts.ts";
import { commit } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUsers, type User, updateUser } from "../store/users.ts";
import { addressChange } from "./farewell.ts";
import { ownerRole, type Role } from "./roles.ts";
import { avatarUpdate, emailUpdates, membershipUpdates, systemGroupsOf, userUpdate } from "./tell.ts";

/** Changes of a user's name, role and address, each in one transaction with its events. */

/** 10 write units. */
export const rename = (user: Pick<User, "id">, fullName: string): Promise<void> =>
  commit({ events: 1 }, () => ({
    writes: [updateUser(user.id, { set: { fullName } }), touchProfiles()],
    events: [userUpdate(user.id, { full_name: fullName })],
    result: undefined,
  }));

const lastOwner = () => badRequest("The owner permission cannot be removed from the only organization owner.");

/** An active owner beside `user`, or the error when there is none; undefined when `user` is no active owner. */
export function remainingOwner(user: User, realm: Realm, error: () => Error = lastOwner): number | undefined {
  if (user.role !== ownerRole || !user.active) return undefined;
  const other = [...(realm.ownerIds ?? [])].find((id) => id !== user.id);
  if (other === undefined) throw error();
  return other;
}

/** Changes a role; refuses to take it from the only owner, also when two owners do so to each other at once. */
export async function changeRole(user: User, role: Role, realm: Realm): Promise<void> {
  if (user.role === role) return;
  const remaining = remainingOwner(user, realm);
  const after = { ...user, role };
  const events = [
    userUpdate(user.id, { role }),
    ...membershipUpdates("remove_members", user.active ? systemGroupsOf(user, realm) : [], user.id),
    ...membershipUpdates("add_members", user.active ? systemGroupsOf(after, realm) : [], user.id),
    roleChange(user.id, { before: user.role, after: role }),
  ];
  const asRead = { role: user.role, active: user.active };
  await commit({ events: events.length }, () => ({
    writes: [
      updateAccount(user.email, { set: { role } }, { userId: user.id, ...asRead }),
      updateUser(user.id, { set: { role } }, asRead),
      touchProfiles({
        gained: role === ownerRole && user.active ? user.id : undefined,
        ...(remaining !== undefined && { lost: user.id, remaining }),
      }),
    ],
    events,
    result: undefined,
  })).catch((error: unknown) => {
    throw error instanceof ConditionFailed ? changedMeanwhile() : error;
  });
}

export const changedMeanwhile = () => badRequest("The user was changed at the same time; try again.");

/**
 * Moves a user to another address; "Email is already in use." when that is taken. The API key stays, and the former
 * address gets a mail where the fleet sends any.
 */
export async function changeEmail(userId: number, email: string, realm: Realm): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const [user] = await findUsers([userId]);
    const account = user && (await findAccount(user.email));
    if (!user || !account) throw badRequest("No such user");
    if (user.email === email) return;
    const after = { ...user, email, avatarVersion: user.avatarVersion + (user.avatarSource === "G" ? 1 : 0) };
    const events = [...emailUpdates(after), ...(user.avatarSource === "G" ? [avatarUpdate(after)] : [])];
    const move = movesOf(account, email);
    const mail = addressChange(user, email, realm);
    try {
      await commit({ events: events.length }, () => ({
        writes: [
          ...move,
          updateUser(userId, { set: { email, avatarVersion: after.avatarVersion } }, { email: user.email }),
          touchProfiles(),
          ...(mail ? [mail.write] : []),
        ],
        events,
        result: undefined,
      }));
      await mail?.send();
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (error.failed.includes(0) && move.length > 1) throw emailInUse();
      if (attempt === 5) throw changedMeanwhile();
    }
  }
}

export const emailInUse = () => badRequest("Email is already in use.");

/** Another spelling of the same address keeps its place. */
const movesOf = (account: Account, email: string) =>
  account.email.toLowerCase() === email.toLowerCase()
    ? [updateAccount(account.email, { set: { email } }, { userId: account.userId })]
    : moveAccount(account, email);
