import { badRequest } from "../errors.ts";
import { fleetSecret } from "../secret.ts";
import { type Account, updateAccount } from "../store/accounts.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { apiKeyOf, hashOfKey, keyMatches, newKeySalt } from "./api-keys.ts";
import { keyOf } from "./keys.ts";
import { hashPassword } from "./passwords.ts";

/**
 * Gives an account a new API key; the old one fails from the next request on. `events` tell of a bot's; with `keyHash`, the
 * account must have that key still.
 */
export async function regenerateKey(
  email: string,
  userId: number,
  { events = [], ...former }: { events?: LoggedEvent[]; keyHash?: string } = {},
): Promise<string> {
  const keySalt = newKeySalt();
  const apiKey = apiKeyOf(await fleetSecret(), keySalt);
  const writes = [
    updateAccount(email, { set: { keySalt, keyHash: hashOfKey(apiKey) } }, { userId, active: true, ...former }),
  ];
  try {
    if (events.length === 0) await transact(writes);
    else await commit({ events: events.length }, () => ({ writes, events, result: undefined }));
  } catch (error) {
    if (error instanceof ConditionFailed) throw badRequest("The account was changed at the same time; try again.");
    throw error;
  }
  return apiKey;
}

/**
 * The key with which an account is used. Once the fleet's secret has been replaced, the former key can be told to nobody:
 * then there is a new one, and the former fails from the next request on.
 */
export async function currentKey(account: Account): Promise<string> {
  const apiKey = await keyOf(account);
  return keyMatches(apiKey, account.keyHash)
    ? apiKey
    : regenerateKey(account.email, account.userId, { keyHash: account.keyHash });
}

/** Gives an account another password, unless its address has gone to someone else. */
export async function changePassword(email: string, userId: number, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  await transact([updateAccount(email, { set: { passwordHash } }, { userId })]);
}
