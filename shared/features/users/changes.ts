import { badRequest } from "../../base/errors.ts";
import { ownerRole, type Role } from "../../base/schema/roles.ts";
import { checkNotErased } from "../../core/users/access-user.ts";
import {
  avatarUpdateEvent,
  emailEvents,
  membershipEvents,
  systemGroupsOf,
  userUpdateEvent,
} from "../../core/users/user-events.ts";
import type { Realm } from "../../services/organization/access.ts";
import { eventForUser } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import type { Write } from "../../store/table/writes.ts";
import { type Account, findAccount, moveAccount, updateAccount } from "../../store/users/accounts.ts";
import { putBotKey } from "../../store/users/bot-keys.ts";
import { findUser, findUsers, type User, updateUser } from "../../store/users/users.ts";
import { addressChangeEmail } from "./account-emails.ts";

/** Changes of a user's name, role and address, each in one transaction with its events. */

/**
 * Changes a user's full name, on the condition that it is the one that was read, so that the events of simultaneous changes are in the
 * order of the changes. Costs 12 write units.
 */
export async function rename(user: User, fullName: string): Promise<void> {
  let known: User | undefined = user;
  await retryOnConflict(async () => {
    const before = known ?? (await findUser(user.id));
    known = undefined;
    if (!before || before.fullName === fullName) return;
    checkNotErased(before);
    await commit({
      writes: [
        updateUser(user.id, { set: { fullName } }, { fullName: before.fullName }),
        bumpUsersVersion(),
        auditRecord("user_renamed", {
          ...{ userId: user.id, name: fullName },
          ...{ before: { full_name: before.fullName }, after: { full_name: fullName } },
        }),
      ],
      events: [userUpdateEvent(user.id, { full_name: fullName })],
    });
  });
}

const lastOwner = () => badRequest("The owner permission cannot be removed from the only organization owner.");

/** Returns another active owner, or throws if there is none; undefined when `user` is not an active owner. */
export function findRemainingOwner(user: User, realm: Realm, error: () => Error = lastOwner): number | undefined {
  if (user.role !== ownerRole || !user.active) return undefined;
  const otherOwnerId = [...(realm.ownerIds ?? [])].find((id) => id !== user.id);
  if (otherOwnerId === undefined) throw error();
  return otherOwnerId;
}

/** Changes a role. Never leaves an organization without owners, even if two owners demote each other concurrently. */
export async function changeRole(user: User, role: Role, realm: Realm): Promise<void> {
  if (user.role === role) return;
  const remainingOwnerId = findRemainingOwner(user, realm);
  const after = { ...user, role };
  const events = [
    userUpdateEvent(user.id, { role }),
    ...membershipEvents("remove_members", user.active ? systemGroupsOf(user, realm) : [], user.id),
    ...membershipEvents("add_members", user.active ? systemGroupsOf(after, realm) : [], user.id),
    eventForUser(user.id, { type: "role_change", before: user.role, after: role }),
  ];
  const expected = { role: user.role, active: user.active };
  await commit({
    writes: [
      updateAccount(user.email, { set: { role } }, { userId: user.id, ...expected }),
      updateUser(user.id, { set: { role } }, expected),
      bumpUsersVersion({
        gained: role === ownerRole && user.active ? user.id : undefined,
        ...(remainingOwnerId !== undefined && { lost: user.id, remaining: remainingOwnerId }),
      }),
      auditRecord("role_changed", {
        ...{ userId: user.id, name: user.fullName },
        ...{ before: { role: user.role }, after: { role } },
      }),
    ],
    events,
    refusal: userChangedMeanwhile,
  });
}

export const userChangedMeanwhile = () => badRequest("The user was changed by another request; try again.");

/**
 * Changes a user's address; refuses one that is in use. Keeps the API key, and notifies the former
 * address by mail.
 */
export async function changeEmail(
  userId: number,
  email: string,
  realm: Realm,
  extra: readonly Write[] = [],
): Promise<void> {
  await retryOnConflict(
    async () => {
      const [user] = await findUsers([userId]);
      const account = user && (await findAccount(user.email));
      if (!user || !account) throw badRequest("No such user");
      if (user.email === email) return;
      checkNotErased(user);
      const after = { ...user, email, avatarVersion: user.avatarVersion + (user.avatarSource === "G" ? 1 : 0) };
      const events = [...emailEvents(after), ...(user.avatarSource === "G" ? [avatarUpdateEvent(after)] : [])];
      const mail = addressChangeEmail(user, email, realm);
      await commit({
        writes: [
          ...addressWrites(account, email),
          ...extra,
          updateUser(userId, { set: { email, avatarVersion: after.avatarVersion } }, { email: user.email }),
          bumpUsersVersion(),
          auditRecord("email_changed", {
            ...{ userId, name: user.fullName },
            ...{ before: { delivery_email: user.email }, after: { delivery_email: email } },
          }),
        ],
        events,
        followUps: mail ? [mail] : [],
      });
    },
    { exhausted: userChangedMeanwhile },
  );
}

export const emailInUse = (email: string) => badRequest(`Email '${email}' already in use`);

/** Accounts are keyed by lower-case address: another spelling is updated in place. */
const addressWrites = (account: Account, email: string) =>
  account.email.toLowerCase() === email.toLowerCase()
    ? [updateAccount(account.email, { set: { email } }, { userId: account.userId })]
    : [
        ...moveAccount(account, email, () => emailInUse(email)),
        ...(account.botType === undefined ? [] : [putBotKey({ keyHash: account.keyHash, email })]),
      ];
