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

/** The records that the browser refused to store, by their keys: only this page's memory has them. */
const refused = new Map<string, string>();
/** Whether the page has records that would be lost with it. */
export const hasRefused = (): boolean => refused.size > 0;

/**
 * Writes a record, or removes it if it is undefined. Returns false if the browser refuses, as when its storage is full; then the
 * record is kept for as long as the page is open.
 */
export function writeRecord(account: AccountKey, id: string, record: unknown): boolean {
  const key = keyOf(account, id);
  const text = record === undefined ? undefined : JSON.stringify(record);
  refused.delete(key);
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    if (text !== undefined) refused.set(key, text);
    return false;
  }
}

/** A stored record; undefined if there is none that can be read. */
export function readRecord(account: AccountKey, id: string): unknown {
  try {
    const key = keyOf(account, id);
    return JSON.parse(refused.get(key) ?? localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** The IDs of an account's records. */
export function recordIds(account: AccountKey): string[] {
  const start = keyOf(account, "");
  const keys = new Set(refused.keys());
  try {
    for (const key of Object.keys(localStorage)) keys.add(key);
  } catch {
    // Without storage, there are only the records in memory.
  }
  return [...keys].flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []));
}

/** Calls `listener` with the ID of each record of the account that another window changes, until `end` is aborted. */
export function onOtherWindow(
  account: () => AccountKey | undefined,
  listener: (id: string) => void,
  end: AbortSignal,
): void {
  const onStorage = ({ key }: StorageEvent) => {
    const current = account();
    if (current !== undefined && key?.startsWith(keyOf(current, ""))) listener(key.slice(keyOf(current, "").length));
  };
  addEventListener("storage", onStorage, { signal: end });
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
