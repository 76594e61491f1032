import { ApiError, badRequest, passwordAuthDisabled } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import type { User } from "../store/users.ts";
import { checkAddress } from "./addresses.ts";
import { checkAddressFree } from "./admission.ts";
import { type Caller, isAdministrator } from "./caller.ts";
import { accessAccountByPassword } from "./login.ts";
import { checkFullName, checkNameFree } from "./names.ts";
import { checkStrength } from "./strength.ts";
import { throttled } from "./throttle.ts";

/** What people may change of their own account, checked. */

/** The new name, or undefined where nothing changes. */
export async function checkOwnName(caller: Caller, user: User, given: string | undefined, realm: Realm) {
  if (given === undefined || given.trim() === user.fullName) return undefined;
  if (realm.settings.name_changes_disabled && !isAdministrator(caller))
    throw badRequest("Name changes are disabled in this organization.");
  const name = checkFullName(given);
  await checkNameFree(name, realm, user.id);
  return name;
}

/** The new address, or undefined where nothing changes. */
export async function checkOwnEmail(caller: Caller, user: User, given: string | undefined, realm: Realm) {
  if (given === undefined || given.trim() === user.email) return undefined;
  if (realm.settings.email_changes_disabled && !isAdministrator(caller))
    throw badRequest("Email address changes are disabled in this organization.");
  const email = checkAddress(given, realm);
  if (email.toLowerCase() !== user.email.toLowerCase()) await checkAddressFree(email);
  return email;
}

/** Refuses a new password that is weak, or comes without the old one; guesses at that are slowed like logins. */
export async function checkNewPassword(
  user: User,
  passwords: { old: string; new: string },
  address: string,
  realm: Realm,
): Promise<void> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  try {
    await throttled(user.email, address, () => accessAccountByPassword(user.email, passwords.old, realm));
  } catch (error) {
    throw error instanceof ApiError && error.code === "AUTHENTICATION_FAILED" ? badRequest("Wrong password!") : error;
  }
  await checkStrength(passwords.new, [user.email, user.fullName], "New password is too weak!");
}
