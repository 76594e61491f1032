/**
 * Keeps JSON records of an account in this browser's local storage. It writes synchronously, so that a record is kept even if the
 * page dies in the next moment, and other windows of the browser learn of the change.
 */

const prefix = "skein-unsent:";
const lastAccountKey = "skein-account";

/** An account by its organization's URL and its user ID. */
export type AccountKey = string;

export const accountKey = (realmUrl: string, userId: number): AccountKey => `${userId}@${realmUrl}`;

const keyOf = (account: AccountKey, id: string) => `${prefix}${account}:${id}`;

/** Writes a record, or removes it if it is undefined. Returns false if the browser refuses, as when its storage is full. */
export function writeRecord(account: AccountKey, id: string, record: unknown): boolean {
  try {
    if (record === undefined) localStorage.removeItem(keyOf(account, id));
    else localStorage.setItem(keyOf(account, id), JSON.stringify(record));
    return true;
  } catch {
    return false;
  }
}

/** A stored record; undefined if there is none that can be read. */
export function readRecord(account: AccountKey, id: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(account, id)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** The IDs of an account's records. */
export function recordIds(account: AccountKey): string[] {
  try {
    const start = keyOf(account, "");
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []));
  } catch {
    return [];
  }
}

/** Calls `listener` with the ID of each record of the account that another window changes. */
export function onOtherWindow(account: () => AccountKey | undefined, listener: (id: string) => void): void {
  addEventListener("storage", ({ key }) => {
    const current = account();
    if (current !== undefined && key?.startsWith(keyOf(current, ""))) listener(key.slice(keyOf(current, "").length));
  });
}

/** The account that used this browser last and has not signed out; it is known also while the server cannot be reached. */
export function lastAccount(): AccountKey | undefined {
  try {
    return localStorage.getItem(lastAccountKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The account that this window uses, if the browser has it stored. */
let ownAccount = lastAccount();

/** Whether the user has signed out in another window. */
export const isForgotten = (): boolean => ownAccount !== undefined && lastAccount() !== ownAccount;

export function rememberAccount(account: AccountKey): void {
  try {
    localStorage.setItem(lastAccountKey, account);
    ownAccount = account;
  } catch {
    // Without storage there are no records either.
  }
}

/** Removes everything of an account. */
export function forgetAccount(account: AccountKey): void {
  for (const id of recordIds(account)) writeRecord(account, id, undefined);
  if (lastAccount() === account) localStorage.removeItem(lastAccountKey);
  ownAccount = undefined;
}
