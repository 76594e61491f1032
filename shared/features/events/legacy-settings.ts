import { list, text } from "../../base/schema/params.ts";
import { emojiSets, notificationSounds, type UserSettings, userSettingShape } from "../../base/schema/user-settings.ts";
import type { UserSettingsEvent } from "../../core/users/event-types.ts";

/** Top-level copies of `user_settings`, for clients without the capability `user_settings_object`. */

const displaySettingNames = [
  "color_scheme",
  "default_language",
  "demote_inactive_streams",
  "display_emoji_reaction_users",
  "emojiset",
  "enter_sends",
  "fluid_layout_width",
  "high_contrast_mode",
  "left_side_userlist",
  "starred_message_counts",
  "timezone",
  "translate_emoticons",
  "twenty_four_hour_time",
  "web_home_view",
] as const;

const notificationSettingNames = [
  "desktop_icon_count_display",
  "email_notifications_batching_period_seconds",
  "enable_desktop_notifications",
  "enable_digest_emails",
  "enable_login_emails",
  "enable_marketing_emails",
  "enable_offline_email_notifications",
  "enable_offline_push_notifications",
  "enable_online_push_notifications",
  "enable_sounds",
  "enable_stream_audible_notifications",
  "enable_stream_desktop_notifications",
  "enable_stream_email_notifications",
  "enable_stream_push_notifications",
  "message_content_in_email_notifications",
  "notification_sound",
  "pm_content_in_desktop_notifications",
  "presence_enabled",
  "realm_name_in_email_notifications_policy",
  "wildcard_mentions_notify",
] as const;

const pick = <T extends object, const K extends keyof T>(names: readonly K[], settings: T) =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as Pick<T, K>;

export const legacyDisplaySettings = (settings: UserSettings) => ({
  ...pick(displaySettingNames, settings),
  emojiset_choices: [...emojiSets],
});
export const legacyNotificationSettings = (settings: UserSettings) => ({
  ...pick(notificationSettingNames, settings),
  available_notification_sounds: [...notificationSounds],
});

/** The older form of an event about a setting, for clients that know the setting by it; undefined for newer settings. */
export function legacySettingEvent({ property, value, language_name }: UserSettingsEvent, user: string) {
  const setting = value as boolean | number | string;
  const isIn = (names: readonly string[]) => names.includes(property);
  if (isIn(displaySettingNames))
    return {
      ...{ type: "update_display_settings" as const, user, setting_name: property, setting },
      ...(language_name !== undefined && { language_name }),
    };
  if (isIn(notificationSettingNames))
    return { type: "update_global_notifications" as const, user, notification_name: property, setting };
  return undefined;
}

export const legacySettingsShape = {
  ...pick([...displaySettingNames, ...notificationSettingNames], userSettingShape),
  available_notification_sounds: list(text()),
};
