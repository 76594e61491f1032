import { beforeAll, describe, expect, test } from "vitest";
import { permissionSettings, plainSettings } from "../../shared/base/schema/organization-settings.ts";
import { aPerson } from "../support/world.ts";

/** The initial state of an organization with default settings. */

const [nobody, owners, administrators, moderators, members, everyone] = [1, 2, 3, 4, 6, 7];

/** Each permission with its default group, and whether role:nobody and role:everyone are allowed. */
const permissions: Record<string, [defaultGroup: number, allowsNobody: boolean, allowsEveryone: boolean]> = {
  can_access_all_users_group: [everyone, false, true],
  can_add_subscribers_group: [members, true, false],
  can_add_custom_emoji_group: [members, true, false],
  can_connect_agents_group: [members, true, false],
  can_create_bots_group: [members, true, false],
  can_create_write_only_bots_group: [members, true, false],
  can_create_groups: [members, true, false],
  can_create_public_channel_group: [members, true, false],
  can_create_private_channel_group: [members, true, false],
  can_create_users_group: [administrators, true, false],
  can_invite_users_group: [members, true, false],
  can_move_messages_between_channels_group: [members, true, false],
  can_create_web_public_channel_group: [owners, true, false],
  create_multiuse_invite_group: [administrators, true, false],
  can_delete_any_message_group: [administrators, true, false],
  can_mention_many_users_group: [administrators, true, true],
  can_manage_all_groups: [owners, false, false],
  can_manage_billing_group: [administrators, false, false],
  can_delete_own_message_group: [everyone, true, true],
  can_move_messages_between_topics_group: [everyone, true, true],
  can_resolve_topics_group: [everyone, true, true],
  can_summarize_topics_group: [everyone, true, true],
  direct_message_initiator_group: [everyone, true, true],
  direct_message_permission_group: [everyone, true, true],
  can_set_topics_policy_group: [members, true, true],
  can_set_delete_message_policy_group: [moderators, true, false],
};
const names: Record<number, string> = {
  [nobody]: "role:nobody",
  [owners]: "role:owners",
  [administrators]: "role:administrators",
  [moderators]: "role:moderators",
  [members]: "role:members",
  [everyone]: "role:everyone",
};

/** Zulip's defaults of the organization's other settings, as `/register` has them without `realm_`. */
const realmDefaults: Record<string, unknown> = {
  ...{ description: "", default_language: "en", default_code_block_language: "", welcome_message_custom_text: "" },
  ...{ empty_topic_display_name: "general chat", topics_policy: "allow_empty_topic", mandatory_topics: false },
  message_edit_history_visibility_policy: "all",
  ...{ message_content_delete_limit_seconds: 600, message_content_edit_limit_seconds: 600 },
  ...{ move_messages_within_stream_limit_seconds: 604_800, move_messages_between_streams_limit_seconds: 604_800 },
  ...{ message_retention_days: -1, waiting_period_threshold: 0, digest_weekday: 1, org_type: 0, giphy_rating: 2 },
  ...{ jitsi_server_url: null, allow_message_editing: true, inline_image_preview: true, invite_required: true },
  ...{ inline_url_embed_preview: false, emails_restricted_to_domains: false, require_unique_names: false },
  disallow_disposable_email_addresses: true,
  ...{ email_changes_disabled: false, name_changes_disabled: false, avatar_changes_disabled: false },
  ...{ require_e2ee_push_notifications: false, send_welcome_emails: true, enable_spectator_access: false },
  message_content_allowed_in_email_notifications: true,
  ...{ want_advertise_in_communities_directory: false, presence_disabled: false, digest_emails_enabled: false },
  ...{ enable_guest_user_dm_warning: true, enable_guest_user_indicator: true },
  ...{ moderation_request_channel_id: -1, new_stream_announcements_stream_id: -1 },
  ...{ signup_announcements_stream_id: -1, zulip_update_announcements_stream_id: -1 },
};

/** Where Skein's default differs from Zulip's, and is the former. */
const realmDifferences: Record<string, unknown> = { enable_read_receipts: true, video_chat_provider: 0 };

/** Zulip's defaults of a person's settings. */
const userDefaults: Record<string, unknown> = {
  ...{ twenty_four_hour_time: false, web_mark_read_on_scroll_policy: 1, web_channel_default_view: 1 },
  ...{ web_font_size_px: 16, web_line_height_percent: 140, color_scheme: 1, demote_inactive_streams: 1 },
  ...{ user_list_style: 3, web_stream_unreads_count_display_policy: 2, desktop_icon_count_display: 1 },
  ...{ email_notifications_batching_period_seconds: 120, realm_name_in_email_notifications_policy: 1 },
  ...{ automatically_follow_topics_policy: 3, automatically_unmute_topics_in_muted_streams_policy: 2 },
  ...{ email_address_visibility: 1, default_language: "en", web_home_view: "inbox", emojiset: "google" },
  ...{ web_animate_image_previews: "on_hover", timezone: "", notification_sound: "zulip" },
  ...{ starred_message_counts: true, receives_typing_notifications: true, web_suggest_update_timezone: true },
  ...{ fluid_layout_width: false, high_contrast_mode: false, translate_emoticons: false, enter_sends: false },
  ...{ display_emoji_reaction_users: true, web_escape_navigates_to_home_view: true, left_side_userlist: false },
  ...{ hide_ai_features: false, web_left_sidebar_show_channel_folders: true },
  ...{ web_left_sidebar_unreads_count_summary: true, enable_drafts_synchronization: true },
  ...{ enable_stream_desktop_notifications: false, enable_stream_email_notifications: false },
  ...{ enable_stream_push_notifications: false, enable_stream_audible_notifications: false },
  ...{ enable_desktop_notifications: true, enable_sounds: true, enable_followed_topic_desktop_notifications: true },
  ...{ enable_followed_topic_email_notifications: true, enable_followed_topic_push_notifications: true },
  ...{ enable_followed_topic_audible_notifications: true, enable_offline_email_notifications: true },
  ...{ enable_offline_push_notifications: true, message_content_in_email_notifications: true },
  ...{ pm_content_in_desktop_notifications: true, wildcard_mentions_notify: true },
  ...{ enable_followed_topic_wildcard_mentions_notify: true, automatically_follow_topics_where_mentioned: true },
  ...{ presence_enabled: true, send_private_typing_notifications: true, send_stream_typing_notifications: true },
  ...{ send_read_receipts: true, allow_private_data_export: false, web_navigate_to_sent_message: true },
};

/** Skein's, where Zulip's are true, and "except_followed". */
const userDifferences: Record<string, unknown> = {
  ...{ enable_online_push_notifications: false, enable_login_emails: false },
  // These have no effect here.
  ...{ enable_digest_emails: false, enable_marketing_emails: false, resolved_topic_notice_auto_read_policy: "never" },
};

let state: any;
beforeAll(async () => {
  const event_types = ["realm", "user_settings", "realm_user_settings_defaults"];
  state = (await (await aPerson("Viola")).call("POST", "/register", { event_types })).body;
});

describe("a new organization", () => {
  test("has each permission's default group, and returns the allowed groups", () => {
    for (const [name, [defaultGroup, allow_nobody_group, allow_everyone_group]] of Object.entries(permissions)) {
      expect([name, state[`realm_${name}`]]).toEqual([name, defaultGroup]);
      expect([name, state.server_supported_permission_settings.realm[name]]).toMatchObject([
        name,
        {
          allow_internet_group: false,
          allow_nobody_group,
          allow_everyone_group,
          default_group_name: names[defaultGroup],
        },
      ]);
    }
    expect(Object.keys(permissionSettings).sort()).toEqual(Object.keys(permissions).sort());
    const { realm } = state.server_supported_permission_settings;
    expect(realm.can_access_all_users_group).toMatchObject({
      require_system_group: true,
      allowed_system_groups: ["role:everyone", "role:members"],
    });
    expect(realm.can_create_web_public_channel_group).toMatchObject({
      require_system_group: true,
      allowed_system_groups: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
    });
  });

  test("keeps messages forever, allows edits and deletion for ten minutes, and shows the edit history", () => {
    expect(state).toMatchObject({
      realm_empty_topic_display_name: "general chat",
      realm_topics_policy: "allow_empty_topic",
      realm_mandatory_topics: false,
      realm_message_edit_history_visibility_policy: "all",
      realm_allow_edit_history: true,
      realm_message_content_delete_limit_seconds: 600,
      realm_message_content_edit_limit_seconds: 600,
      realm_move_messages_between_streams_limit_seconds: 604_800,
      realm_message_retention_days: -1,
      realm_waiting_period_threshold: 0,
      realm_plan_type: 1,
      realm_enable_read_receipts: true,
      realm_enable_spectator_access: false,
      realm_presence_disabled: false,
      realm_moderation_request_channel_id: -1,
      realm_new_stream_announcements_stream_id: -1,
      realm_signup_announcements_stream_id: -1,
      realm_zulip_update_announcements_stream_id: -1,
      zulip_feature_level: 420,
    });
  });

  test("has Zulip's default of every setting but those that are named here, of the same type", () => {
    const expected = { ...realmDefaults, ...realmDifferences };
    for (const [name, value] of Object.entries(expected)) expect([name, state[`realm_${name}`]]).toEqual([name, value]);
    const other = ["upload_quota_mib", "password_auth_enabled", "wildcard_mention_policy"];
    const signInLimits = ["session_age_limit_seconds", "session_idle_limit_seconds", "second_factor_required_from"];
    expect([...Object.keys(expected), ...other, ...signInLimits].sort()).toEqual(Object.keys(plainSettings).sort());

    const { available_notification_sounds: _, emojiset_choices: _choices, ...settings } = state.user_settings;
    const { timezone: _zone, ...defaults } = settings;
    expect(settings).toEqual({ ...userDefaults, ...userDifferences });
    expect(state.realm_user_settings_defaults).toMatchObject(defaults);
  });

  test("returns the limits that clients enforce", () => {
    expect(state).toMatchObject({
      max_message_length: 10_000,
      max_topic_length: 60,
      max_stream_name_length: 60,
      max_stream_description_length: 1024,
      max_channel_folder_name_length: 60,
      max_channel_folder_description_length: 1024,
      max_reminder_note_length: 1000,
      max_bulk_new_subscription_messages: 100,
      password_min_length: 6,
      password_max_length: 100,
      password_min_guesses: 10_000,
    });
  });

  test("returns which groups channel and group permissions may be given to", () => {
    const { stream, group } = state.server_supported_permission_settings;
    const rule = (allow_nobody_group: boolean, allow_everyone_group: boolean, default_group_name: string) =>
      expect.objectContaining({
        require_system_group: false,
        allow_internet_group: false,
        allow_nobody_group,
        allow_everyone_group,
        default_group_name,
      });
    expect(stream).toEqual({
      can_add_subscribers_group: rule(true, false, "role:nobody"),
      can_subscribe_group: rule(true, false, "role:nobody"),
      can_administer_channel_group: rule(true, false, "stream_creator_or_nobody"),
      can_remove_subscribers_group: rule(true, true, "role:administrators"),
      can_send_message_group: rule(true, true, "role:everyone"),
      can_delete_any_message_group: rule(true, true, "role:nobody"),
      can_delete_own_message_group: rule(true, true, "role:nobody"),
      can_move_messages_out_of_channel_group: rule(true, true, "role:nobody"),
      can_move_messages_within_channel_group: rule(true, true, "role:nobody"),
      can_resolve_topics_group: rule(true, true, "role:nobody"),
    });
    expect(group).toEqual({
      can_add_members_group: rule(true, false, "group_creator"),
      can_join_group: rule(true, false, "role:nobody"),
      can_leave_group: rule(true, true, "role:everyone"),
      can_manage_group: rule(true, false, "group_creator"),
      can_mention_group: rule(true, true, "role:everyone"),
      can_remove_members_group: rule(true, false, "role:nobody"),
    });
    for (const setting of Object.values<any>(group)) expect(setting.default_for_system_groups).toBe("role:nobody");
    for (const setting of Object.values<any>(stream)) expect(setting.default_for_system_groups).toBeNull();
  });
});
