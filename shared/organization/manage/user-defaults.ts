import { type UserSettings, userSettingNames } from "../../schema/user-settings.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";
import { succeeds } from "../../store/table/conflicts.ts";

/**
 * Changes the default settings of new users. Returns false if another request has changed the settings since they were read.
 */
export async function changeUserDefaults(
  { userDefaults, settingsVersion: version }: Organization,
  changes: Partial<UserSettings>,
): Promise<boolean> {
  const events = userSettingNames.flatMap((property) => {
    const value = changes[property];
    if (value === undefined) return [];
    return [eventForEveryone({ type: "realm_user_settings_defaults", op: "update", property, value })];
  });
  return succeeds(
    commit({
      writes: [
        updateOrganization(
          { set: { userDefaults: { ...userDefaults, ...changes }, settingsVersion: (version ?? 0) + 1 } },
          { equals: { settingsVersion: version } },
        ),
      ],
      events,
    }),
  );
}
