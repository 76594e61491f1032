import { badRequest } from "../../base/errors.ts";
import { hashPassword } from "../../core/users/passwords.ts";
import { removeDevices } from "../../messaging/mobile-push/removal.ts";
import { apiKeyOfAccount, keyMatches, newApiKey } from "../../services/identity/api-keys.ts";
import { type Session, toStoredSession } from "../../services/identity/sessions.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { deleteSecondFactor } from "../../store/second-factors/second-factors.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Account, updateAccount } from "../../store/users/accounts.ts";
import { deleteBotKey, putBotKey } from "../../store/users/bot-keys.ts";
import { deleteIdentity } from "../../store/users/identities.ts";

/**
 * Gives an account a new API key; the old one fails from the next request on, and so do the keys of all sessions but
 * `keptSession`, which must not have been ended meanwhile. `events`: the events of a bot's key; `keyHash`: fail unless the account
 * still has this key; `formerBotKey`: the same for a bot, whose key is looked up by its hash.
 */
export async function regenerateKey(
  email: string,
  userId: number,
  {
    events = [],
    formerBotKey,
    keptSession,
    ...conditions
  }: { events?: LoggedEvent[]; keyHash?: string; formerBotKey?: string; keptSession?: Session | undefined } = {},
): Promise<string> {
  const { apiKey, keySalt, keyHash } = await newApiKey();
  const unchanged = { ...conditions, ...(formerBotKey !== undefined && { keyHash: formerBotKey }) };
  const kept = keptSession && toStoredSession(keptSession);
  const change =
    kept === undefined
      ? { set: { keySalt, keyHash }, remove: ["sessions"] }
      : { set: { keySalt, keyHash, sessions: new Set([kept]) } };
  const writes = [
    updateAccount(email, change, { userId, active: true, ...unchanged }, kept),
    bumpKeysVersion(),
    auditRecord("api_key_changed", { userId }),
    ...(formerBotKey === undefined ? [] : [deleteBotKey(formerBotKey), putBotKey({ keyHash, email })]),
  ];
  if (events.length === 0) await transact(writes, { refusal: changedMeanwhile });
  else await commit({ writes, events, refusal: changedMeanwhile });
  return apiKey;
}

const changedMeanwhile = () => badRequest("The account was changed by another request; try again.");

/**
 * An account's API key. Keys are derived from the deployment's secret: after that was replaced, the former key cannot be
 * computed, so that a new one is generated and the former fails from the next request on, as do all sessions but `keptSession`.
 */
export async function currentKey(account: Account, keptSession?: Session): Promise<string> {
  const apiKey = await apiKeyOfAccount(account);
  return keyMatches(apiKey, account.keyHash)
    ? apiKey
    : regenerateKey(
        account.email,
        account.userId,
        account.botType === undefined ? { keyHash: account.keyHash, keptSession } : { formerBotKey: account.keyHash },
      );
}

/** Changes an account's password. Throws if it was deactivated meanwhile, or has another address. */
export async function changePassword(email: string, userId: number, password: string): Promise<void> {
  const passwordHash = await hashPassword(password);
  const record = auditRecord("password_changed", { userId });
  await transact([updateAccount(email, { set: { passwordHash } }, { userId, active: true }), record], {
    refusal: changedMeanwhile,
  });
}

/**
 * Takes from a deactivated account whatever gave access to it, before it is given to somebody else: API key, password, second
 * factor, sessions, identity and devices. Throws if it was reactivated meanwhile. Idempotent.
 */
export async function revokeCredentials({ email, userId, identity }: Account): Promise<void> {
  await removeDevices(userId);
  const { keySalt, keyHash } = await newApiKey();
  const unchanged = { userId, active: false, identity } as Partial<Account>;
  await transact(
    [
      updateAccount(
        email,
        { set: { keySalt, keyHash }, remove: ["passwordHash", "secondFactor", "sessions", "identity"] },
        unchanged,
      ),
      bumpKeysVersion(),
      deleteSecondFactor(userId),
      auditRecord("api_key_changed", { userId }),
      ...(identity === undefined ? [] : [deleteIdentity(identity)]),
    ],
    { refusal: changedMeanwhile },
  );
}
