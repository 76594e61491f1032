import { ApiError, authenticationFailed, badRequest, passwordAuthDisabled, userDeactivated } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { isDevelopmentServer } from "../settings.ts";
import { type Account, findAccount } from "../store/accounts.ts";
import { passwordMatches } from "./passwords.ts";

/** The account that a username and its password name (4.8). An unknown user and a wrong password are told alike. */
export async function accessAccountByPassword(username: string, password: string, realm: Realm): Promise<Account> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  const email = username.trim();
  if (!email.includes("@")) throw badRequest("Enter a valid email address.");
  const account = await findAccount(email);
  if (!(await passwordMatches(password, account?.passwordHash)) || !account) throw authenticationFailed();
  if (!account.active) throw userDeactivated();
  return account;
}

/** The account of a username, without any proof: on a development server only. */
export async function accessAccountOnDevelopmentServer(username: string): Promise<Account> {
  if (!isDevelopmentServer()) throw new ApiError("BAD_REQUEST", "Endpoint not available in production.");
  const account = await findAccount(username.trim());
  if (!account) throw authenticationFailed();
  if (!account.active) throw userDeactivated();
  return account;
}
