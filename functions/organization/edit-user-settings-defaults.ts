import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessOrganization } from "../../shared/organization/access.ts";
import { changeUserDefaults } from "../../shared/organization/manage/user-defaults.ts";
import { checkSupported, unsupportedUserSettings } from "../../shared/organization/unsupported.ts";
import { effectiveUserSettings } from "../../shared/schema/user-settings.ts";
import { checkLocale, initialUserSettings, userSettingParams } from "../../shared/settings/rules.ts";
import { retryOnConflict } from "../../shared/store/table/conflicts.ts";

/** These have no default: each user has a time zone of their own, and mails about sign-ins are for the user to stop. */
const { timezone: _zone, enable_login_emails: _mails, ...params } = userSettingParams;

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm/user_settings_defaults",
    summary: "Changes the default settings of new users. For administrators.",
    caller: "admin",
    params,
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params: requested }) => {
    checkSupported(requested, unsupportedUserSettings);
    checkLocale(requested);
    await retryOnConflict(
      async () => {
        const organization = await accessOrganization();
        const current: Record<string, unknown> = effectiveUserSettings(initialUserSettings(organization));
        const changes = Object.entries(requested).filter(
          ([name, value]) => value !== undefined && value !== current[name],
        );
        if (changes.length > 0) await changeUserDefaults(organization, Object.fromEntries(changes));
      },
      { exhausted: () => badRequest("The organization was changed by another request; try again.") },
    );
  },
);
