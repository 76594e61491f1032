import { beforeAll, describe, expect, test } from "vitest";
import { permissionSettings } from "../../shared/schema/organization-settings.ts";
import { aPerson } from "../support/world.ts";

/** The initial state of an organization with default settings. */

const [nobody, owners, administrators, moderators, members, everyone] = [1, 2, 3, 4, 6, 7];

/** Each permission with its default group, and whether role:nobody and role:everyone are allowed. */
const permissions: Record<string, [defaultGroup: number, allowsNobody: boolean, allowsEveryone: boolean]> = {
  can_access_all_users_group: [everyone, false, true],
  can_add_subscribers_group: [members, true, false],
  can_add_custom_emoji_group: [members, true, false],
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

let state: any;
beforeAll(async () => {
  state = (await (await aPerson("Viola")).call("POST", "/register", { event_types: ["realm"] })).body;
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
