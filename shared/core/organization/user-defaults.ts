import { effectiveUserSettings, type UserSettings, userSettingNames } from "../../base/schema/user-settings.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { auditRecord, difference } from "../../store/organization/audit-log.ts";
import { type Organization, updateOrganization } from "../../store/organization/organization.ts";

/** Changes the default settings of new users. Conflicts if the settings have changed since they were read. */
export function changeUserDefaults(
  { userDefaults, settingsVersion: version }: Organization,
  changes: Partial<UserSettings>,
): Change {
  const events = userSettingNames.flatMap((property) => {
    const value = changes[property];
    if (value === undefined) return [];
    return [eventForEveryone({ type: "realm_user_settings_defaults", op: "update", property, value })];
  });
  const set = { userDefaults: { ...userDefaults, ...changes }, settingsVersion: (version ?? 0) + 1 };
  const record = auditRecord("defaults_changed", difference(effectiveUserSettings(userDefaults), changes));
  return { writes: [updateOrganization({ set }, { equals: { settingsVersion: version } }), record], events };
}
