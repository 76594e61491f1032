import {
  channelSettingNames,
  permissionSettings,
  plainSettings,
  type RealmSettings,
} from "../../../base/schema/organization-settings.ts";
import type { Param } from "../../../base/schema/params.ts";
import { userSettingShape } from "../../../base/schema/user-settings.ts";
import type { ChangedSettings } from "../../../store/users/user-settings.ts";
import {
  autoReadPolicyNumbers,
  editHistoryPolicyNumbers,
  topicsPolicyNumbers,
  wordOf,
} from "../../exports/zulip-numbers.ts";
import type { ZulipChannels } from "./channels.ts";
import type { ZulipGroups } from "./groups.ts";

/** Settings that Zulip's tables have as numbers. */
const numbered: Record<string, Readonly<Record<string, number>>> = {
  topics_policy: topicsPolicyNumbers,
  message_edit_history_visibility_policy: editHistoryPolicyNumbers,
  resolved_topic_notice_auto_read_policy: autoReadPolicyNumbers,
};

/** Gets the name of each setting whose value is not possible here, so that it stays the default. */
type OnRefused = (name: string) => void;

/** The organization's settings that differ from the defaults. */
export function realmSettingsOf(
  realm: Record<string, unknown>,
  groups: ZulipGroups,
  channels: ZulipChannels,
  onRefused: OnRefused,
): Partial<RealmSettings> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(permissionSettings)) values[name] = groups.settingOf(realm[name]);
  for (const name of Object.keys(plainSettings)) values[name] = realm[name];
  for (const name of channelSettingNames) {
    const zulipId = realm[name.replace(/_id$/, "")];
    values[name] = (typeof zulipId === "number" ? channels.idOf(zulipId) : undefined) ?? -1;
  }
  // In Zulip 10 the only policy for topics.
  if (realm.topics_policy === undefined && realm.mandatory_topics === true)
    values.topics_policy = "disable_empty_topic";
  const shape = { ...permissionSettings, ...plainSettings };
  return changedOf(shape, values, (name) => realm[name] != null && onRefused(name)) as Partial<RealmSettings>;
}

/** A user's settings that differ from the defaults, from a row of users or of the organization's defaults for them. */
export const userSettingsOf = (row: Record<string, unknown>, onRefused: OnRefused): ChangedSettings =>
  changedOf(userSettingShape, row, (name) => row[name] != null && onRefused(name)) as ChangedSettings;

/** The values that a shape accepts and that differ from its defaults. */
function changedOf(
  shape: Record<string, Param>,
  values: Record<string, unknown>,
  onRefused: OnRefused,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, { schema, fallback }]) => {
      const value = values[name];
      const parsed = schema.safeParse((numbered[name] && wordOf(numbered[name], value)) ?? value);
      if (!parsed.success) onRefused(name);
      const isChanged = parsed.success && JSON.stringify(parsed.data) !== JSON.stringify(fallback);
      return isChanged ? [[name, parsed.data]] : [];
    }),
  );
}
