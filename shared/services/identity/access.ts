import { accountDeactivated, badRequest, realmDeactivated, sessionEnded, unauthorized } from "../../base/errors.ts";
import { type Account, findAccount } from "../../store/users/accounts.ts";
import { findBotKey } from "../../store/users/bot-keys.ts";
import { hashApiKey, keyMatches } from "./api-keys.ts";
import { otherBotAddress } from "./bot-domains.ts";
import { type Caller, isGuest } from "./caller.ts";
import { findSession, hasReachedLimit, noteUse } from "./sessions.ts";

/**
 * Authenticates Basic credentials, or throws UNAUTHORIZED. The error is the same for an unknown address and a wrong key, so
 * that it does not reveal which addresses have accounts. 1 read unit, and another for an unknown address of a bot, whose domain may be the
 * other one (`otherBotAddress`). `notesUse`: when a device's key was last used is noted, at the cost of a write in each hour.
 */
export async function authenticateCredentials(
  { email, apiKey }: { email: string; apiKey: string },
  serverUrl: string,
  { notesUse = false } = {},
): Promise<Caller> {
  const account = (await findAccount(email)) ?? (await findBotAtOtherDomain(email, serverUrl));
  const keyHash = hashApiKey(apiKey);
  const session = account && findSession(account, keyHash);
  if (!account || !(session || keyMatches(apiKey, account.keyHash)))
    throw account && hasReachedLimit(account, keyHash) ? sessionEnded() : unauthorized("Invalid API key");
  if (!account.active) throw accountDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  if (session && notesUse) await noteUse(account, session);
  return { ...toCaller(account), session, keyHash };
}

function findBotAtOtherDomain(email: string, serverUrl: string): Promise<Account | undefined> | undefined {
  const other = otherBotAddress(email, serverUrl);
  return other === undefined ? undefined : findAccount(other);
}

/**
 * Authenticates a bot by its API key alone, for services that are configured with nothing but a URL; throws UNAUTHORIZED. 1.5
 * read units in two stages.
 */
export async function authenticateBotKey(apiKey: string): Promise<Caller> {
  const found = await findBotKey(hashApiKey(apiKey));
  if (!found) throw unauthorized("Invalid API key");
  return authenticateCredentials({ email: found.email, apiKey }, "");
}

export const toCaller = (account: Account): Caller => ({
  id: account.userId,
  email: account.email,
  role: account.role,
  botType: account.botType,
  ...(account.wasMuted && { wasMuted: true }),
  joinedAt: account.joinedAt,
  groupIds: account.groupIds ?? new Set(),
});

export function checkNotGuest(caller: Caller): void {
  if (isGuest(caller)) throw badRequest("Not allowed for guest users");
}
