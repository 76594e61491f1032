import { passwordAuthDisabled } from "../../base/errors.ts";
import { checkPasswordStrength } from "../../core/users/password-strength.ts";
import { hashPassword } from "../../core/users/passwords.ts";
import { ownerSignIn } from "../../core/users/throttle.ts";
import { newApiKey } from "../../services/identity/api-keys.ts";
import { hashLinkToken } from "../../services/identity/link-tokens.ts";
import type { Realm } from "../../services/organization/access.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Account, findAccount, updateAccount } from "../../store/users/accounts.ts";
import { findLinkToken, isAccountOf, useLinkToken } from "../../store/users/link-tokens.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { invalidLink } from "./form-checks.ts";
import { passwordMarkOf } from "./mails.ts";

export interface Reset {
  tokenHash: string;
  account: Account;
  user: User;
}

/** Returns the account of a reset link. Throws if the account's address, password or API key has changed since the link was created. */
export async function accessReset(token: string, realm: Realm): Promise<Reset> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  const tokenHash = hashLinkToken(token);
  const grant = (await findLinkToken(tokenHash))?.grant;
  if (grant?.kind !== "password-reset") throw invalidLink();
  const [account, [user]] = await Promise.all([findAccount(grant.email), findUsers([grant.userId])]);
  if (!user || !isAccountOf(account, grant) || !account.active || passwordMarkOf(account) !== grant.passwordMark)
    throw invalidLink();
  return { tokenHash, account, user };
}

/**
 * Sets an account's new password and deletes the link, in one transaction; other reset links become invalid with the old
 * password, and failures to sign in before are forgiven. With `replacesKey`, also replaces the API key, which ends all sessions.
 */
export async function resetPassword(
  { tokenHash, account, user }: Reset,
  password: string,
  replacesKey: boolean,
  sourceIp: string,
): Promise<void> {
  await checkPasswordStrength(password, [account.email, user.fullName], "The password is too weak.");
  const { keySalt, keyHash } = await newApiKey();
  const key = replacesKey ? { keySalt, keyHash } : {};
  const remove = replacesKey ? ["sessions"] : [];
  const [passwordHash, signIn] = await Promise.all([hashPassword(password), ownerSignIn(account.email, sourceIp)]);
  const unchangedAccount = { userId: account.userId, active: true, passwordHash: account.passwordHash };
  await transact(
    [
      useLinkToken(tokenHash),
      updateAccount(account.email, { set: { passwordHash, ...key }, remove }, unchangedAccount as Partial<Account>),
      signIn,
      auditRecord("password_changed", { userId: account.userId }),
      ...(replacesKey ? [bumpKeysVersion(), auditRecord("api_key_changed", { userId: account.userId })] : []),
    ],
    { refusal: invalidLink },
  );
}
