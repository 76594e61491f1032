import { accountDeactivated, realmDeactivated, unauthorized } from "../errors.ts";
import { type Account, findAccount } from "../store/users/accounts.ts";
import { keyMatches } from "./api-keys.ts";
import type { Caller } from "./caller.ts";

/** The account behind Basic credentials, or UNAUTHORIZED: wrong and unknown are told alike. 1 read unit. */
export async function accountOfCredentials({ email, apiKey }: { email: string; apiKey: string }): Promise<Caller> {
  const account = await findAccount(email);
  if (!account || !keyMatches(apiKey, account.keyHash)) throw unauthorized("Invalid API key");
  if (!account.active) throw accountDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  return callerOf(account);
}

export const callerOf = (account: Account): Caller => ({
  id: account.userId,
  email: account.email,
  role: account.role,
  botType: account.botType,
  joinedAt: account.joinedAt,
  groupIds: account.groupIds ?? new Set(),
});
