import { apiKeyOfAccount } from "../../shared/services/identity/api-keys.ts";
import { accessOrganization } from "../../shared/services/organization/access.ts";
import { updateOrganization } from "../../shared/store/organization/organization.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { type CallAs, mustSucceedAs } from "./http.ts";
import { call } from "./world.ts";

/** Access to the organization of the host under test, for cases that change its settings. */
export interface OrganizationSession {
  /** Calls the API as the user with this e-mail address, or without credentials; returns the reply's body with its status. */
  as: CallAs;
  /** Calls the API like `as`, and throws for any status but 200. */
  do: CallAs;
  /** Restores the organization's name and all settings. */
  restoreSettings(): Promise<void>;
}

/**
 * Saves the current settings for `restoreSettings`. Test files of one host run sequentially, so a test may change settings
 * without affecting other files.
 */
export async function openOrganization(): Promise<OrganizationSession> {
  const { name, settings } = await accessOrganization();
  const credentialsOf = async (email: string) => {
    const account = await findAccount(email);
    if (!account) throw new Error(`${email} has no account`);
    return { email, apiKey: await apiKeyOfAccount(account) };
  };
  const as: CallAs = async (email, method, path, params = {}) => {
    const options = email === undefined ? {} : { credentials: await credentialsOf(email) };
    const { status, body } = await call(method, path, params, options);
    return { status, ...body };
  };
  return {
    as,
    do: mustSucceedAs(as),
    restoreSettings: async () => {
      const { settingsVersion = 0 } = await accessOrganization();
      await transact([updateOrganization({ set: { name, settings, settingsVersion: settingsVersion + 1 } })]);
    },
  };
}
