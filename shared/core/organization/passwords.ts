import { accessOrganization, realmOf } from "../../services/organization/access.ts";
import { commit } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { changeOrganization } from "./actions.ts";

/**
 * Switches passwords on, for an operator whose organization has switched them off and cannot reach its identity provider any
 * more. Returns false if they are on.
 */
export const enablePasswords = (): Promise<boolean> =>
  retryOnConflict(async () => {
    const organization = await accessOrganization();
    if (realmOf(organization).settings.password_auth_enabled) return false;
    await commit(changeOrganization(organization, { settings: { password_auth_enabled: true } }));
    return true;
  });
