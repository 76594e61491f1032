import type { UserSettings } from "../../schema/user-settings.ts";

/** Zulip's numbers of this policy. */
const autoReadPolicies = { always: 1, except_followed: 2, never: 3 } as const;

/** A user's settings as columns: they have the settings' names. */
export const toSettingColumns = (settings: UserSettings) => ({
  ...settings,
  resolved_topic_notice_auto_read_policy: autoReadPolicies[settings.resolved_topic_notice_auto_read_policy],
});
