import { badRequest } from "../errors.ts";
import { fleetSecret } from "../secret.ts";
import { updateAccount } from "../store/accounts.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { apiKeyOf, hashOfKey, newKeySalt } from "./api-keys.ts";
import { hashPassword } from "./passwords.ts";

/** Gives an account a new API key; the old one fails from the next request on. `events` tell of a bot's. */
export async function regenerateKey(email: string, userId: number, events: LoggedEvent[] = []): Promise<string> {
  const keySalt = newKeySalt();
  const apiKey = apiKeyOf(await fleetSecret(), keySalt);
  const writes = [updateAccount(email, { set: { keySalt, keyHash: hashOfKey(apiKey) } }, { userId, active: true })];
  try {
    if (events.length === 0) await transact(writes);
    else await commit({ events: events.length }, () => ({ writes, events, result: undefined }));
  } catch (error) {
    if (error instanceof ConditionFailed) throw badRequest("The account was changed at the same time; try again.");
    throw error;
  }
  return apiKey;
}

/** Gives an account another password, unless its address has gone to someone else. */
export async function changePassword(email: string, userId: number, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  await transact([updateAccount(email, { set: { passwordHash } }, { userId })]);
}
