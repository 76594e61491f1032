import type { UserSettings } from "../../../base/schema/user-settings.ts";
import { autoReadPolicyNumbers } from "../zulip-numbers.ts";

/** A user's settings as columns: they have the settings' names. */
export const toSettingColumns = (settings: UserSettings) => ({
  ...settings,
  resolved_topic_notice_auto_read_policy: autoReadPolicyNumbers[settings.resolved_topic_notice_auto_read_policy],
});
