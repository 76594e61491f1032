import { secondsPerDay } from "../time.ts";
import { bool, groupSetting, int, nullable, oneOf, oneOfInts, string, type Value, withDefault } from "./params.ts";
import { administrators, everyone, members, moderators, owners } from "./system-groups.ts";

/** The organization's settings: their wire names without `realm_`, their types and their defaults. */

const permission = (defaultGroup: number) => withDefault(groupSetting(), defaultGroup);
const on = () => withDefault(bool(), true);
const off = () => withDefault(bool(), false);
const text = (fallback: string, max: number) => withDefault(string({ max }), fallback);
/** A limit in seconds; null: no limit. */
const seconds = (fallback: number | null) => withDefault(nullable(int({ min: 0 })), fallback);
/** A channel's ID; -1: none. */
const channel = () => withDefault(int({ min: -1 }), -1);

/** Permission settings, whose values are group-setting values (https://zulip.com/api/group-setting-values). */
export const permissionSettings = {
  can_access_all_users_group: permission(everyone),
  can_add_subscribers_group: permission(members),
  can_add_custom_emoji_group: permission(members),
  can_connect_agents_group: permission(members),
  can_create_bots_group: permission(members),
  can_create_write_only_bots_group: permission(members),
  can_create_groups: permission(members),
  can_create_public_channel_group: permission(members),
  can_create_private_channel_group: permission(members),
  can_create_users_group: permission(administrators),
  can_invite_users_group: permission(members),
  can_move_messages_between_channels_group: permission(members),
  can_create_web_public_channel_group: permission(owners),
  create_multiuse_invite_group: permission(administrators),
  can_delete_any_message_group: permission(administrators),
  can_mention_many_users_group: permission(administrators),
  can_manage_all_groups: permission(owners),
  can_manage_billing_group: permission(administrators),
  can_delete_own_message_group: permission(everyone),
  can_move_messages_between_topics_group: permission(everyone),
  can_resolve_topics_group: permission(everyone),
  can_summarize_topics_group: permission(everyone),
  direct_message_initiator_group: permission(everyone),
  direct_message_permission_group: permission(everyone),
  can_set_topics_policy_group: permission(members),
  can_set_delete_message_policy_group: permission(moderators),
};

export const plainSettings = {
  description: text("", 1000),
  default_language: text("en", 50),
  default_code_block_language: text("", 50),
  welcome_message_custom_text: text("", 8000),
  empty_topic_display_name: text("general chat", 60),
  topics_policy: withDefault(oneOf(["allow_empty_topic", "disable_empty_topic"]), "allow_empty_topic"),
  message_edit_history_visibility_policy: withDefault(oneOf(["all", "moves", "none"]), "all"),
  message_content_delete_limit_seconds: seconds(600),
  message_content_edit_limit_seconds: seconds(600),
  move_messages_within_stream_limit_seconds: seconds(604_800),
  move_messages_between_streams_limit_seconds: seconds(604_800),
  upload_quota_mib: withDefault(nullable(int({ min: 0 })), null),
  message_retention_days: withDefault(int({ min: -1 }), -1),
  waiting_period_threshold: withDefault(int({ min: 0 }), 0),
  digest_weekday: withDefault(int({ min: 0, max: 6 }), 1),
  org_type: withDefault(int({ min: 0 }), 0),
  video_chat_provider: withDefault(oneOfInts([0, 1]), 0),
  jitsi_server_url: withDefault(nullable(string({ max: 200 })), null),
  giphy_rating: withDefault(int({ min: 0 }), 2),
  wildcard_mention_policy: withDefault(oneOfInts([1, 2, 3, 5, 6, 7]), 5),
  moderation_request_channel_id: channel(),
  new_stream_announcements_stream_id: channel(),
  signup_announcements_stream_id: channel(),
  zulip_update_announcements_stream_id: channel(),
  allow_message_editing: on(),
  enable_read_receipts: on(),
  mandatory_topics: off(),
  inline_image_preview: on(),
  inline_url_embed_preview: off(),
  invite_required: on(),
  emails_restricted_to_domains: off(),
  disallow_disposable_email_addresses: on(),
  email_changes_disabled: off(),
  name_changes_disabled: off(),
  avatar_changes_disabled: off(),
  require_unique_names: off(),
  require_e2ee_push_notifications: off(),
  send_welcome_emails: on(),
  message_content_allowed_in_email_notifications: on(),
  enable_spectator_access: off(),
  want_advertise_in_communities_directory: off(),
  presence_disabled: off(),
  digest_emails_enabled: off(),
  enable_guest_user_dm_warning: on(),
  enable_guest_user_indicator: on(),
  password_auth_enabled: on(),
  session_age_limit_seconds: seconds(null),
  session_idle_limit_seconds: seconds(null),
  second_factor_required_from: seconds(null),
};

export type PermissionName = keyof typeof permissionSettings;

export const channelSettingNames = [
  "moderation_request_channel_id",
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
] as const;

/** The limits in seconds or days, for which clients send a positive number or "unlimited". */
export const limitSettingNames = [
  "message_content_delete_limit_seconds",
  "message_content_edit_limit_seconds",
  "move_messages_within_stream_limit_seconds",
  "move_messages_between_streams_limit_seconds",
  "message_retention_days",
  "session_age_limit_seconds",
  "session_idle_limit_seconds",
  "second_factor_required_from",
] as const;

/** Of the age and the idleness of sessions: from an hour, so that nobody is signed out before they can undo it, to a year. */
export const sessionLimitRange = { min: 3600, max: 366 * secondsPerDay };

/** In UNIX seconds, which a client might take for milliseconds. */
export const requiredFromRange = { min: 1, max: 99_999_999_999 };

export const settingShape = { ...permissionSettings, ...plainSettings };

export type RealmSettings = { [K in keyof typeof settingShape]: Value<(typeof settingShape)[K]> };

const defaultSettings = Object.fromEntries(
  Object.entries(settingShape).map(([name, { fallback }]) => [name, fallback]),
) as RealmSettings;

/** All settings, from those that differ from the defaults. */
export const effectiveSettings = (changed: Partial<RealmSettings>): RealmSettings => ({
  ...defaultSettings,
  ...changed,
});
