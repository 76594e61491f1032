import { isMailEnabled, linkUrl } from "../../base/environment.ts";
import { type UserSettings, userSettingNames } from "../../base/schema/user-settings.ts";
import { hidePresence } from "../../core/presence/actions.ts";
import { checkLocale } from "../../core/settings/rules.ts";
import { accessUser } from "../../core/users/access-user.ts";
import { findEffectiveSettings } from "../../core/users/state.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { checkIsNoAppPassword } from "../../services/identity/sessions.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { checkSupported, unsupportedUserSettings } from "../../services/organization/unsupported.ts";
import { changeEmail, rename } from "../users/changes.ts";
import { checkNewPassword, checkOwnEmail, checkOwnName } from "../users/check-own-changes.ts";
import { changePassword } from "../users/key-actions.ts";
import { requestEmailChange } from "../users/request-email-change.ts";
import { changeSettings } from "./actions.ts";

/** A change of the caller's own settings and account. Absent fields stay unchanged. */
interface SettingsEdit extends Partial<{ [K in keyof UserSettings]: UserSettings[K] | undefined }> {
  full_name?: string | undefined;
  email?: string | undefined;
  old_password?: string | undefined;
  new_password?: string | undefined;
}

/** The client's address and the server's public URL, as in the request. */
type RequestSource = Pick<HttpRequest, "sourceIp" | "baseUrl">;

/**
 * Changes the caller's own settings, name or password. Everything is checked before anything is changed. A new email address
 * takes effect when the mailed link is confirmed, or at once if the server sends no mail.
 */
export async function editOwnSettings(caller: Caller, edit: SettingsEdit, request: RequestSource): Promise<void> {
  checkSupported({ ...edit }, unsupportedUserSettings);
  const [user, realm, current] = await Promise.all([
    accessUser(caller.id),
    loadRealm(),
    findEffectiveSettings(caller.id),
  ]);
  const requestedSettings = edit as Partial<UserSettings>;
  const changedNames = userSettingNames.filter(
    (name) => requestedSettings[name] !== undefined && requestedSettings[name] !== current[name],
  );
  const changes: Partial<UserSettings> = Object.fromEntries(
    changedNames.map((name) => [name, requestedSettings[name]]),
  );
  checkLocale(changes);
  const name = await checkOwnName(caller, user, edit.full_name, realm);
  const email = await checkOwnEmail(caller, user, edit.email, realm);
  const { old_password = "", new_password } = edit;
  // Both lead to the account: a mailed link to a new address, too.
  if (email !== undefined || new_password) await checkIsNoAppPassword(caller);
  if (new_password) {
    await checkNewPassword(user, { old: old_password, new: new_password }, request.sourceIp, realm);
    await changePassword(user.email, user.id, new_password);
  }
  if (changedNames.length > 0) await changeSettings(user, changes);
  if (changes.presence_enabled === false) await hidePresence(caller.id, realm);
  if (name !== undefined) await rename(user, name);
  if (email !== undefined)
    await (isMailEnabled()
      ? requestEmailChange(user, email, realm, linkUrl(request.baseUrl))
      : changeEmail(user.id, email, realm));
}
