import type { BotType, Role } from "../../base/schema/roles.ts";
import { getItem, getItems } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import {
  create,
  type Key,
  type Refusal,
  remove,
  type Update,
  update,
  type Write,
  withRefusal,
} from "../table/writes.ts";

/**
 * The part of a user that authentication needs, keyed by the real e-mail address, which makes the address unique. It must stay
 * below 4 KB, so that a strongly consistent read costs one unit. Who posts to connections keeps accounts: each change of the key,
 * sessions, role, activity or address is in a transaction with `bumpKeysVersion` or `bumpUsersVersion`, and each change of
 * `groupIds` has an event.
 */
export interface Account {
  userId: number;
  email: string;
  /** SHA-256 of the API key, in hex. */
  keyHash: string;
  /** The API key is derived from this and the deployment's secret; changing it changes the key. */
  keySalt: string;
  /** Argon2id, or scrypt before the next sign-in, in the form of `shared/core/users/passwords.ts`; absent when the account has no password. */
  passwordHash?: string;
  /** Who the owner is at an identity provider (`identities.ts`); absent: they have not signed in by any. */
  identity?: string;
  /** The ID of their second factor (`../second-factors/second-factors.ts`), which a sign-in by password needs; absent: none. */
  secondFactor?: string;
  /** Sessions, as `shared/services/identity/sessions.ts` writes them; absent: none. */
  sessions?: Set<string>;
  /** When each session was last used, as written there too; for its owner to see, and no part of what others keep of the account. */
  sessionUses?: Set<string>;
  /** On how many devices the owner has signed in on the UNIX day of the last sign-in. */
  signIns?: { day: number; count: number };
  role: Role;
  active: boolean;
  /** Set while the organization is deactivated. */
  realmDeactivated?: true;
  botType?: BotType;
  /** Whether anybody has ever muted the user, so that only then a message looks up who has. */
  wasMuted?: true;
  /** UNIX seconds. */
  joinedAt: number;
  /** Direct memberships in user groups other than system groups. */
  groupIds?: Set<number>;
}

const key = (email: string): Key => ({ pk: `ACCOUNT#${email.toLowerCase()}`, sk: "ACCOUNT" });

/** The account with an e-mail address, ignoring case; 1 read unit. */
export const findAccount = (email: string) => getItem<Account>(key(email));

/** In the order of `emails`, undefined where there is none. 1 read unit each. */
export const findAccounts = (emails: readonly string[]) => getItems<Account>(emails.map(key));

/** Fails its transaction when the address is taken. */
export const createAccount = (account: Account): Write => create({ ...key(account.email), ...account });

/** Marks whether an account's organization is deactivated; false when it was marked so already. At most 1 write unit. */
export async function setRealmDeactivated(email: string, deactivated: boolean): Promise<boolean> {
  const account = await findAccount(email);
  if (!account || (account.realmDeactivated === true) === deactivated) return false;
  const change = deactivated ? { set: { realmDeactivated: true } } : { remove: ["realmDeactivated"] };
  if (!(await updateIf(key(email), change, { exists: true })))
    throw new Error(`The account of user ${account.userId} was changed at the same time`);
  return true;
}

/** Replaces the hash of a password that stays the same; does nothing if the account has another meanwhile. 1 write unit. */
export async function replacePasswordHash(
  { email, userId, passwordHash: before }: Account,
  passwordHash: string,
): Promise<boolean> {
  return updateIf(key(email), { set: { passwordHash } }, { exists: true, equals: { userId, passwordHash: before } });
}

/** Changes an account; fails when it does not exist, differs from `when`, or lacks the given session (in its stored form). */
export const updateAccount = (
  email: string,
  change: Update,
  when: Partial<Account> = {},
  session?: string | undefined,
): Write =>
  update(key(email), change, {
    exists: true,
    equals: when,
    contains: session === undefined ? {} : { sessions: session },
  });

/** Replaces an account's sessions; fails if they, or what proves who its owner is, have changed since it was read. */
export const setSessions = (
  { email, userId, keyHash, passwordHash, secondFactor, sessions: before }: Account,
  sessions: Set<string>,
  sessionUses: Set<string>,
  signIns: Account["signIns"],
): Write => {
  // The table stores no empty set.
  const [set, empty] = [
    { sessions, ...(sessionUses.size > 0 && { sessionUses }), ...(signIns && { signIns }) },
    ["sessions", "sessionUses"],
  ];
  return update(key(email), sessions.size > 0 ? { set } : { remove: empty }, {
    exists: true,
    equals: { userId, keyHash, passwordHash, secondFactor, active: true, sessions: before },
  });
};

/** Replaces what an account says of the uses of its sessions, unless another request has done so meanwhile. 1 write unit for each KB. */
export const noteSessionUses = async (
  { email, userId, sessionUses: before }: Account,
  sessionUses: Set<string>,
): Promise<void> =>
  void (await updateIf(
    key(email),
    { set: { sessionUses } },
    { exists: true, equals: { userId, active: true, sessionUses: before } },
  ));

/** Moves an account to another address; fails when that is taken, or when the account has changed since it was read. */
export const moveAccount = (account: Account, email: string, emailInUse: Refusal): Write[] => {
  const { userId, keyHash, role, active, passwordHash, secondFactor, identity, sessions, groupIds } = account;
  return [
    // `account` comes from the table with its old key, which the new one must override.
    withRefusal(create({ ...account, ...key(email), email }), emailInUse),
    remove(key(account.email), {
      exists: true,
      equals: { userId, keyHash, role, active, passwordHash, secondFactor, identity, sessions, groupIds },
    }),
  ];
};

/** Fails its transaction when the account is in the group already. */
export const joinGroup = (email: string, groupId: number): Write =>
  update(key(email), { add: { groupIds: new Set([groupId]) } }, { exists: true, lacks: { groupIds: groupId } });

/** Fails its transaction when the account is not in the group. */
export const leaveGroup = (email: string, groupId: number): Write =>
  update(key(email), { subtract: { groupIds: new Set([groupId]) } }, { contains: { groupIds: groupId } });
