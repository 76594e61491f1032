import { isMailEnabled } from "../../base/environment.ts";
import { ApiError, badRequest, passwordAuthDisabled } from "../../base/errors.ts";
import { checkAddress } from "../../core/users/addresses.ts";
import { checkPassword } from "../../core/users/login.ts";
import { checkFullName, checkNameFree } from "../../core/users/names.ts";
import { checkPasswordStrength } from "../../core/users/password-strength.ts";
import { throttle } from "../../core/users/throttle.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { User } from "../../store/users/users.ts";
import { checkAddressFree } from "./admission.ts";

/** Checks of users' changes of their own account. */

/** Returns the new name, or undefined if nothing changes. */
export async function checkOwnName(caller: Caller, user: User, newName: string | undefined, realm: Realm) {
  if (newName === undefined || newName.trim() === user.fullName) return undefined;
  if (realm.settings.name_changes_disabled && !isAdministrator(caller))
    throw badRequest("Name changes are disabled in this organization.");
  const name = checkFullName(newName);
  await checkNameFree(name, realm, user.id);
  return name;
}

/**
 * Returns the new address, or undefined if nothing changes. Refuses the address of another account. If the caller may not see
 * that account's address, the reply does not reveal it: only the owner of the address gets a mail, and its link does not work.
 */
export async function checkOwnEmail(caller: Caller, user: User, newEmail: string | undefined, realm: Realm) {
  if (newEmail === undefined || newEmail.trim() === user.email) return undefined;
  if (realm.settings.email_changes_disabled && !isAdministrator(caller))
    throw badRequest("Email address changes are disabled in this organization.");
  const email = await checkAddress(newEmail, realm);
  if (
    email.toLowerCase() !== user.email.toLowerCase() &&
    (!isMailEnabled() || (await findNamedUsers(caller, [email]))[0])
  )
    await checkAddressFree(email);
  return email;
}

/** Refuses weak passwords and wrong old passwords; attempts are throttled like logins. */
export async function checkNewPassword(
  user: User,
  passwords: { old: string; new: string },
  sourceIp: string,
  realm: Realm,
): Promise<void> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  try {
    await throttle(user.email, sourceIp, () => checkPassword(user.email, passwords.old));
  } catch (error) {
    throw error instanceof ApiError && error.code === "AUTHENTICATION_FAILED" ? badRequest("Wrong password!") : error;
  }
  await checkPasswordStrength(passwords.new, [user.email, user.fullName], "New password is too weak!");
}
