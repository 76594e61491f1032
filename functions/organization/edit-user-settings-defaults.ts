import { badRequest } from "../../shared/base/errors.ts";
import { onDemand } from "../../shared/base/needs.ts";
import { effectiveUserSettings } from "../../shared/base/schema/user-settings.ts";
import { changeUserDefaults } from "../../shared/core/organization/user-defaults.ts";
import { checkLocale, initialUserSettings, userSettingParams } from "../../shared/core/settings/rules.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { organizationToChange } from "../../shared/services/organization/access.ts";
import { checkSupported, unsupportedUserSettings } from "../../shared/services/organization/unsupported.ts";

/** These have no default: each user has a time zone of their own, and mails about sign-ins are for the user to stop. */
const { timezone: _zone, enable_login_emails: _mails, ...params } = userSettingParams;

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/user_settings_defaults",
    summary: "Changes the default settings of new users. For administrators.",
    caller: "admin",
    params,
    returns: {},
    needs: { accessOrganization: onDemand(organizationToChange) },
    uses: { table: "readWrite" },
  },
  async ({ params: requested, accessOrganization }) => {
    checkSupported(requested, unsupportedUserSettings);
    checkLocale(requested);
    const organization = await accessOrganization();
    const current: Record<string, unknown> = effectiveUserSettings(initialUserSettings(organization));
    const changes = Object.entries(requested).filter(([name, value]) => value !== undefined && value !== current[name]);
    return changes.length > 0 ? { change: changeUserDefaults(organization, Object.fromEntries(changes)) } : {};
  },
  { exhausted: () => badRequest("The organization was changed by another request; try again.") },
);
