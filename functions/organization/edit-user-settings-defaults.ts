import { badRequest } from "../../shared/errors.ts";
import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { onDemand } from "../../shared/needs.ts";
import { organizationToChange } from "../../shared/organization/access.ts";
import { changeUserDefaults } from "../../shared/organization/manage/user-defaults.ts";
import { checkSupported, unsupportedUserSettings } from "../../shared/organization/unsupported.ts";
import { effectiveUserSettings } from "../../shared/schema/user-settings.ts";
import { checkLocale, initialUserSettings, userSettingParams } from "../../shared/settings/rules.ts";

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
