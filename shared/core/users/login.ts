import { isDevelopmentServer } from "../../base/environment.ts";
import {
  ApiError,
  authenticationFailed,
  badRequest,
  passwordAuthDisabled,
  realmDeactivated,
  userDeactivated,
} from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { hashApiKey } from "../../services/identity/api-keys.ts";
import { findSession } from "../../services/identity/sessions.ts";
import type { Realm } from "../../services/organization/access.ts";
import { recordFailedSignIn } from "../../store/organization/audit-log.ts";
import { type Account, findAccount, replacePasswordHash } from "../../store/users/accounts.ts";
import { hashPassword, isFormerHash, passwordMatches } from "./passwords.ts";

/**
 * Authenticates by password; unknown users and wrong passwords give the same error. See https://zulip.com/api/fetch-api-key.
 */
export async function accessAccountByPassword(username: string, password: string, realm: Realm): Promise<Account> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  const email = username.trim();
  if (!email.includes("@")) throw badRequest("Enter a valid email address.");
  const account = await checkPassword(email, password);
  checkMayLogIn(account);
  const { passwordHash } = account;
  // The password is only known now. It is not replaced if it was changed meanwhile.
  if (passwordHash === undefined || !isFormerHash(passwordHash)) return account;
  const present = await hashPassword(password);
  return (await replacePasswordHash(account, present))
    ? { ...account, passwordHash: present }
    : checkPassword(email, password);
}

function checkMayLogIn({ active, realmDeactivated: isRealmDeactivated }: Account): void {
  if (!active) throw userDeactivated();
  if (isRealmDeactivated) throw realmDeactivated();
}

/**
 * The account of which a key is given in place of the password, which is how people enter an app password in a program that knows only
 * passwords; undefined: it is none. 1 read unit for a text that may be a key.
 */
export async function findAccountByKey(username: string, apiKey: string, realm: Realm): Promise<Account | undefined> {
  if (!realm.settings.password_auth_enabled || !/^[A-Za-z0-9]{32}$/.test(apiKey)) return undefined;
  const account = await findAccount(username.trim());
  if (!account || !findSession(account, hashApiKey(apiKey))) return undefined;
  checkMayLogIn(account);
  return account;
}

/** Returns the account with an address and a password, even a deactivated one; throws AUTHENTICATION_FAILED. */
export async function checkPassword(email: string, password: string): Promise<Account> {
  const account = await findAccount(email);
  if (!(await passwordMatches(password, account?.passwordHash)) || !account) {
    // The reply must not tell more, and the attempt must count, when the record cannot be written.
    await recordFailedSignIn(account?.userId).catch((error: unknown) =>
      console.error(JSON.stringify({ failedSignIn: "not recorded", error: describeError(error) })),
    );
    throw authenticationFailed();
  }
  return account;
}

/** Refuses requests to other than development servers, and requests from web pages of other sites. */
export function checkDevelopmentServer(headers: Record<string, string | undefined>): void {
  if (!isDevelopmentServer()) throw new ApiError("BAD_REQUEST", "Endpoint not available in production.");
  // Any web page open in a browser on this machine can reach this server, and must not learn who has an account.
  if (headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host)
    throw new ApiError("BAD_REQUEST", "Endpoint not available to other sites.");
}

/** The account of a username without authentication, on development servers only. */
export async function accessAccountOnDevelopmentServer(
  username: string,
  headers: Record<string, string | undefined>,
): Promise<Account> {
  checkDevelopmentServer(headers);
  const account = await findAccount(username.trim());
  if (!account) throw authenticationFailed();
  if (!account.active) throw userDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  return account;
}
