import { randomBytes } from "node:crypto";
import { creationLimits } from "../../base/creation-limits.ts";
import { unauthorized } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Account, findAccount, setSessions } from "../../store/users/accounts.ts";
import { deriveApiKey, hashApiKey } from "./api-keys.ts";

/**
 * Where the organization limits the age of sessions, a browser or an app that signs in gets a key of its own in place of the
 * account's API key: the session's, which is accepted like the API key until the session ends. A new API key ends all sessions.
 */
export interface Session {
  /** SHA-256 of the session's key, in hex. */
  keyHash: string;
  /** UNIX seconds. */
  endsAt: number;
}

/** How many sessions an account has at most: the account is read by each request. Another one ends the one that is to end first. */
const { max: maxSessions } = creationLimits.session;

/** In the account, as texts whose order is that of their ends. */
export const toStoredSession = ({ endsAt, keyHash }: Session): string => `${endsAt} ${keyHash}`;

/** The account's sessions that have not ended, by their ends. */
function currentSessions({ sessions = new Set() }: Pick<Account, "sessions">): Session[] {
  const all = [...sessions].sort().map((text) => {
    const [endsAt = "", keyHash = ""] = text.split(" ");
    return { keyHash, endsAt: Number(endsAt) };
  });
  return all.filter(({ endsAt }) => endsAt > nowSeconds());
}

/** The account's session with a key's hash, unless it has ended. */
export const findSession = (account: Pick<Account, "sessions">, keyHash: string): Session | undefined =>
  currentSessions(account).find((session) => session.keyHash === keyHash);

/**
 * Starts a session; returns its key, which cannot be shown again. 1 read unit, and 2 write units for each KB of the account, and of
 * the organization if that ends another session.
 */
export async function startSession(
  email: string,
  ageLimitSeconds: number,
): Promise<{ apiKey: string; endsAt: number }> {
  const apiKey = deriveApiKey(randomBytes(32).toString("hex"), "");
  const session = { keyHash: hashApiKey(apiKey), endsAt: nowSeconds() + ageLimitSeconds };
  await changeSessions(email, (sessions) => [...sessions.slice(1 - maxSessions), session]);
  return { apiKey, endsAt: session.endsAt };
}

/** Ends a session. Idempotent. At the cost of starting one, and 2 write units for each KB of the organization. */
export const endSession = (email: string, { keyHash }: Session): Promise<void> =>
  changeSessions(email, (sessions) => sessions.filter((session) => session.keyHash !== keyHash));

const changeSessions = (email: string, change: (sessions: Session[]) => Session[]): Promise<void> =>
  retryOnConflict(async () => {
    const account = await findAccount(email);
    if (!account?.active) throw unauthorized();
    const before = currentSessions(account);
    const after = change(before);
    const hasEnded = before.some((session) => !after.includes(session));
    await transact([
      setSessions(account, new Set(after.map(toStoredSession))),
      ...(hasEnded ? [bumpKeysVersion()] : []),
    ]);
  });
