import { apiKeyOfAccount } from "../../shared/identity/api-keys.ts";
import { accessOrganization } from "../../shared/organization/access.ts";
import { updateOrganization } from "../../shared/store/organization/organization.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { call } from "./world.ts";

/** The organization of this run, for cases about settings that concern everybody in it. */
export interface Stage {
  /** Calls the API as the user of an address, or without credentials; the reply's body with its status. */
  as(email: string | undefined, method: string, path: string, params?: Record<string, unknown>): Promise<any>;
  /** Puts all settings back. */
  leave(): Promise<void>;
}

/**
 * Enters with the settings as they are now, to which `leave` returns. Files of one host run one after the other, so that
 * no other file is concerned.
 */
export async function enterStage(): Promise<Stage> {
  const { name, settings } = await accessOrganization();
  const credentialsOf = async (email: string) => {
    const account = await findAccount(email);
    if (!account) throw new Error(`${email} has no account`);
    return { email, apiKey: await apiKeyOfAccount(account) };
  };
  return {
    as: async (email, method, path, params = {}) => {
      const options = email === undefined ? {} : { credentials: await credentialsOf(email) };
      const { status, body } = await call(method, path, params, options);
      return { status, ...body };
    },
    leave: async () => {
      const { settingsVersion = 0 } = await accessOrganization();
      await transact([updateOrganization({ set: { name, settings, settingsVersion: settingsVersion + 1 } })]);
    },
  };
}
