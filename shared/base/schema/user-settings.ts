import { bool, int, oneOf, oneOfInts, string, type Value, withDefault } from "./params.ts";

/** A user's settings: wire names, types and defaults (https://zulip.com/api/update-settings). */

const on = () => withDefault(bool(), true);
const off = () => withDefault(bool(), false);
const choice = <const T extends readonly number[]>(choices: T, fallback: T[number]) =>
  withDefault(oneOfInts(choices), fallback);

export const notificationSounds = ["bell", "chime", "ding", "zulip"] as const;
export const emojiSets = [
  { key: "google", text: "Google" },
  { key: "twitter", text: "Twitter" },
  { key: "text", text: "Plain text" },
  { key: "google-blob", text: "Google blobs" },
] as const;

export const userSettingShape = {
  twenty_four_hour_time: off(),
  web_mark_read_on_scroll_policy: choice([1, 2, 3], 1),
  web_channel_default_view: choice([1, 2, 3, 4], 1),
  web_font_size_px: withDefault(int({ min: 8, max: 32 }), 16),
  web_line_height_percent: withDefault(int({ min: 100, max: 250 }), 140),
  color_scheme: choice([1, 2, 3], 1),
  demote_inactive_streams: choice([1, 2, 3], 1),
  user_list_style: choice([1, 2, 3], 3),
  web_stream_unreads_count_display_policy: choice([1, 2, 3], 2),
  email_notifications_batching_period_seconds: withDefault(int({ min: 0, max: 604_800 }), 120),
  desktop_icon_count_display: choice([1, 2, 3, 4], 1),
  realm_name_in_email_notifications_policy: choice([1, 2, 3], 1),
  automatically_follow_topics_policy: choice([1, 2, 3, 4], 3),
  automatically_unmute_topics_in_muted_streams_policy: choice([1, 2, 3, 4], 2),
  email_address_visibility: choice([1, 2, 3, 4, 5], 1),
  default_language: withDefault(string({ max: 50, allowBlank: false }), "en"),
  web_home_view: withDefault(oneOf(["inbox", "recent_topics", "all_messages"]), "inbox"),
  emojiset: withDefault(oneOf(["google", "twitter", "text", "google-blob"]), "google"),
  web_animate_image_previews: withDefault(oneOf(["always", "on_hover", "never"]), "on_hover"),
  timezone: withDefault(string({ max: 40 }), ""),
  notification_sound: withDefault(oneOf([...notificationSounds, "none"]), "zulip"),
  resolved_topic_notice_auto_read_policy: withDefault(oneOf(["always", "except_followed", "never"]), "never"),
  starred_message_counts: on(),
  receives_typing_notifications: on(),
  web_suggest_update_timezone: on(),
  fluid_layout_width: off(),
  high_contrast_mode: off(),
  translate_emoticons: off(),
  display_emoji_reaction_users: on(),
  web_escape_navigates_to_home_view: on(),
  left_side_userlist: off(),
  hide_ai_features: off(),
  web_left_sidebar_show_channel_folders: on(),
  web_left_sidebar_unreads_count_summary: on(),
  enter_sends: off(),
  enable_drafts_synchronization: on(),
  enable_stream_desktop_notifications: off(),
  enable_stream_email_notifications: off(),
  enable_stream_push_notifications: off(),
  enable_stream_audible_notifications: off(),
  enable_desktop_notifications: on(),
  enable_sounds: on(),
  enable_followed_topic_desktop_notifications: on(),
  enable_followed_topic_email_notifications: on(),
  enable_followed_topic_push_notifications: on(),
  enable_followed_topic_audible_notifications: on(),
  enable_offline_email_notifications: on(),
  enable_offline_push_notifications: on(),
  enable_online_push_notifications: off(),
  enable_digest_emails: off(),
  enable_marketing_emails: off(),
  enable_login_emails: off(),
  message_content_in_email_notifications: on(),
  pm_content_in_desktop_notifications: on(),
  wildcard_mentions_notify: on(),
  enable_followed_topic_wildcard_mentions_notify: on(),
  automatically_follow_topics_where_mentioned: on(),
  presence_enabled: on(),
  send_private_typing_notifications: on(),
  send_stream_typing_notifications: on(),
  send_read_receipts: on(),
  allow_private_data_export: off(),
  web_navigate_to_sent_message: on(),
};

export type UserSettings = { [K in keyof typeof userSettingShape]: Value<(typeof userSettingShape)[K]> };

export const userSettingNames = Object.keys(userSettingShape) as (keyof UserSettings)[];

const defaultSettings = Object.fromEntries(
  Object.entries(userSettingShape).map(([name, { fallback }]) => [name, fallback]),
) as UserSettings;

/** All settings, from those that differ from the defaults. A stored null, which was the time format of the language, counts as none. */
export const effectiveUserSettings = (changed: Partial<UserSettings> = {}): UserSettings =>
  Object.fromEntries(userSettingNames.map((name) => [name, changed[name] ?? defaultSettings[name]])) as UserSettings;

/** The values of the setting `email_address_visibility`: who may see a user's real e-mail address. */
export const emailVisibilities = { everyone: 1, members: 2, administrators: 3, nobody: 4, moderators: 5 } as const;
export type EmailVisibility = (typeof emailVisibilities)[keyof typeof emailVisibilities];
