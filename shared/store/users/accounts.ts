import type { BotType, Role } from "../../schema/roles.ts";
import { getItem, getItems } from "../table/table.ts";
import { updateIf } from "../table/transactions.ts";
import { create, type Key, remove, type Update, update, type Write } from "../table/writes.ts";

/**
 * What authenticating a request needs of an account, under its real e-mail address: one item, which is also the claim
 * that makes the address unique. Kept below 4 KB, so that reading it strongly costs one read unit.
 */
export interface Account {
  userId: number;
  email: string;
  /** SHA-256 of the API key, in hex. */
  keyHash: string;
  /** From this and the fleet's secret the API key is derived; a new one is a new key. */
  keySalt: string;
  /** scrypt, in the form of `shared/users/passwords.ts`; absent when the account has no password. */
  passwordHash?: string;
  role: Role;
  active: boolean;
  /** While the organization is deactivated. */
  realmDeactivated?: true;
  botType?: BotType;
  /** UNIX seconds. */
  joinedAt: number;
  /** Direct memberships in user groups, system groups aside. */
  groupIds?: Set<number>;
}

const key = (email: string): Key => ({ pk: `ACCOUNT#${email.toLowerCase()}`, sk: "ACCOUNT" });

/** The account of an address, ignoring case; 1 read unit. */
export const findAccount = (email: string) => getItem<Account>(key(email), { consistent: true });

/** In the order of `emails`, undefined where there is none. Strongly consistent: 1 read unit each. */
export const findAccounts = (emails: readonly string[]) => getItems<Account>(emails.map(key), { consistent: true });

/** Fails its transaction when the address is taken. */
export const createAccount = (account: Account): Write => create({ ...key(account.email), ...account });

/** Says of an account that its organization is deactivated, or not; false when it said so already. 1 write unit, or none. */
export async function setRealmDeactivated(email: string, deactivated: boolean): Promise<boolean> {
  const account = await findAccount(email);
  if (!account || (account.realmDeactivated === true) === deactivated) return false;
  const change = deactivated ? { set: { realmDeactivated: true } } : { remove: ["realmDeactivated"] };
  if (!(await updateIf(key(email), change, { exists: true })))
    throw new Error(`The account of user ${account.userId} was changed at the same time`);
  return true;
}

/** Changes an account that must exist, and be as `when` says. */
export const updateAccount = (email: string, change: Update, when: Partial<Account> = {}): Write =>
  update(key(email), change, { exists: true, equals: when });

/** Moves an account to another address; fails when that is taken, or when the account has changed since it was read. */
export const moveAccount = (account: Account, email: string): Write[] => {
  const { userId, keyHash, role, active, passwordHash, groupIds } = account;
  return [
    // A read item has its old key in it.
    create({ ...account, ...key(email), email }),
    remove(key(account.email), { exists: true, equals: { userId, keyHash, role, active, passwordHash, groupIds } }),
  ];
};

/** Fails its transaction when the account is a member of the group already. */
export const joinGroup = (email: string, groupId: number): Write =>
  update(key(email), { add: { groupIds: new Set([groupId]) } }, { exists: true, lacks: { groupIds: groupId } });

/** Fails its transaction when the account is no member of the group. */
export const leaveGroup = (email: string, groupId: number): Write =>
  update(key(email), { subtract: { groupIds: new Set([groupId]) } }, { contains: { groupIds: groupId } });
