/**
 * What Zulip's importer demands of an archive's tables at version 11 (`zerver/lib/import_realm.py` and the models in
 * `zerver/models`): the columns that it reads or that have no default, and those that it knows besides. A row with another
 * column is refused.
 */

type Type = "int" | "text" | "bool" | "json" | "time";
/** "?" at the end: may be null. */
type Column = Type | `${Type}?` | { to: string; nullable?: true };

interface Table {
  required: Record<string, Column>;
  optional?: readonly string[];
}

const to = (table: string): Column => ({ to: table });
const toMaybe = (table: string): Column => ({ to: table, nullable: true });
const each = (names: readonly string[], column: Column) => Object.fromEntries(names.map((name) => [name, column]));

const group = to("zerver_usergroup");
const id = { id: "int" } as const;
const realm = to("zerver_realm");
const user = to("zerver_userprofile");

const realmGroups = [
  ...["create_multiuse_invite_group", "can_access_all_users_group", "can_add_subscribers_group"],
  ...["can_add_custom_emoji_group", "can_create_bots_group", "can_create_groups", "can_create_public_channel_group"],
  ...["can_create_private_channel_group", "can_create_web_public_channel_group", "can_create_write_only_bots_group"],
  ...["can_delete_any_message_group", "can_delete_own_message_group", "can_invite_users_group"],
  ...["can_manage_all_groups", "can_manage_billing_group", "can_mention_many_users_group"],
  ...["can_move_messages_between_channels_group", "can_move_messages_between_topics_group"],
  ...["can_resolve_topics_group", "can_set_delete_message_policy_group", "can_set_topics_policy_group"],
  ...["can_summarize_topics_group", "direct_message_initiator_group", "direct_message_permission_group"],
];
const channelGroups = [
  ...["can_add_subscribers_group", "can_administer_channel_group", "can_delete_any_message_group"],
  ...["can_delete_own_message_group", "can_move_messages_out_of_channel_group"],
  ...["can_move_messages_within_channel_group", "can_remove_subscribers_group", "can_send_message_group"],
  ...["can_subscribe_group", "can_resolve_topics_group"],
];
const groupGroups = [
  ...["can_add_members_group", "can_join_group", "can_leave_group", "can_manage_group", "can_mention_group"],
  "can_remove_members_group",
];

const realmSettings = [
  ...["description", "plan_type", "org_type", "emails_restricted_to_domains", "invite_required"],
  ...["disallow_disposable_email_addresses", "enable_spectator_access", "want_advertise_in_communities_directory"],
  ...["inline_image_preview", "inline_url_embed_preview", "digest_emails_enabled", "digest_weekday"],
  ...["send_welcome_emails", "message_content_allowed_in_email_notifications", "topics_policy"],
  ...["require_unique_names", "name_changes_disabled", "email_changes_disabled", "avatar_changes_disabled"],
  ...["welcome_message_custom_text", "move_messages_within_stream_limit_seconds", "waiting_period_threshold"],
  ...["move_messages_between_streams_limit_seconds", "message_content_delete_limit_seconds"],
  ...["allow_message_editing", "message_content_edit_limit_seconds", "message_edit_history_visibility_policy"],
  ...["default_language", "message_retention_days", "video_chat_provider", "jitsi_server_url", "giphy_rating"],
  ...["default_code_block_language", "enable_read_receipts", "enable_guest_user_indicator"],
  ...["enable_guest_user_dm_warning", "require_e2ee_push_notifications", "icon_source", "icon_version"],
  ...["logo_source", "logo_version", "night_logo_source", "night_logo_version"],
];
const userSettings = [
  ...["enter_sends", "left_side_userlist", "default_language", "web_home_view", "web_escape_navigates_to_home_view"],
  ...["fluid_layout_width", "high_contrast_mode", "translate_emoticons", "display_emoji_reaction_users"],
  ...["twenty_four_hour_time", "starred_message_counts", "web_suggest_update_timezone", "color_scheme"],
  ...["web_font_size_px", "web_line_height_percent", "web_animate_image_previews", "demote_inactive_streams"],
  ...["web_mark_read_on_scroll_policy", "web_channel_default_view", "emojiset", "user_list_style"],
  ...["web_stream_unreads_count_display_policy", "web_left_sidebar_unreads_count_summary"],
  ...["web_left_sidebar_show_channel_folders", "web_navigate_to_sent_message", "hide_ai_features"],
  ...["email_notifications_batching_period_seconds", "enable_stream_desktop_notifications"],
  ...["enable_stream_email_notifications", "enable_stream_push_notifications", "enable_stream_audible_notifications"],
  ...["notification_sound", "wildcard_mentions_notify", "enable_followed_topic_desktop_notifications"],
  ...["enable_followed_topic_email_notifications", "enable_followed_topic_push_notifications"],
  ...["enable_followed_topic_audible_notifications", "enable_followed_topic_wildcard_mentions_notify"],
  ...["enable_desktop_notifications", "pm_content_in_desktop_notifications", "enable_sounds"],
  ...["enable_offline_email_notifications", "message_content_in_email_notifications"],
  ...["enable_offline_push_notifications", "enable_online_push_notifications", "desktop_icon_count_display"],
  ...["enable_digest_emails", "enable_login_emails", "enable_marketing_emails", "presence_enabled"],
  ...["realm_name_in_email_notifications_policy", "automatically_follow_topics_policy"],
  ...["automatically_unmute_topics_in_muted_streams_policy", "automatically_follow_topics_where_mentioned"],
  ...["resolved_topic_notice_auto_read_policy", "enable_drafts_synchronization", "send_stream_typing_notifications"],
  ...["send_private_typing_notifications", "send_read_receipts", "allow_private_data_export"],
  ...["receives_typing_notifications", "email_address_visibility"],
];

const userTable: Table = {
  required: {
    ...{ ...id, realm, delivery_email: "text", email: "text", full_name: "text", date_joined: "time" },
    ...{ last_login: "time?", last_reminder: "time?", role: "int", is_active: "bool", is_mirror_dummy: "bool" },
    ...{ is_bot: "bool", bot_type: "int?", bot_owner: toMaybe("zerver_userprofile"), translate_emoticons: "bool" },
    default_sending_stream: toMaybe("zerver_stream"),
    default_events_register_stream: toMaybe("zerver_stream"),
    ...{ last_active_message_id: "int?", user_permissions: "json", groups: "json" },
  },
  optional: [
    ...["default_all_public_streams", "timezone", "avatar_source", "avatar_version", "long_term_idle"],
    ...userSettings,
  ],
};
const emojiColumns = { emoji_name: "text", emoji_code: "text", reaction_type: "text" } as const;

export const realmTables: Record<string, Table> = {
  zerver_realm: {
    required: {
      ...{ ...id, name: "text", string_id: "text", date_created: "time", deactivated: "bool" },
      ...each(realmGroups, group),
      moderation_request_channel: toMaybe("zerver_stream"),
      new_stream_announcements_stream: toMaybe("zerver_stream"),
      signup_announcements_stream: toMaybe("zerver_stream"),
      zulip_update_announcements_stream: toMaybe("zerver_stream"),
    },
    optional: realmSettings,
  },
  zerver_realmauthenticationmethod: { required: { ...id, realm, name: "text" } },
  zerver_presencesequence: { required: { ...id, realm, last_update_id: "int" } },
  zerver_scheduledmessage: {
    required: {
      ...{ ...id, realm, sender: user, recipient: to("zerver_recipient"), stream: toMaybe("zerver_stream") },
      ...{ sending_client: to("zerver_client"), subject: "text", content: "text", rendered_content: "text" },
      ...{ scheduled_timestamp: "time", request_timestamp: "time", read_by_sender: "bool", has_attachment: "bool" },
      ...{ delivered: "bool", delivered_message: "int?", failed: "bool", delivery_type: "int" },
    },
  },
  zerver_defaultstream: { required: { ...id, realm, stream: to("zerver_stream") } },
  zerver_customprofilefield: {
    required: { ...id, realm, name: "text", field_type: "int" },
    optional: ["hint", "order", "display_in_profile_summary", "required", "editable_by_user", "field_data"],
  },
  zerver_realmemoji: {
    required: { ...id, realm, author: user, name: "text", file_name: "text", deactivated: "bool", is_animated: "bool" },
  },
  zerver_realmdomain: { required: { ...id, realm, domain: "text", allow_subdomains: "bool" } },
  zerver_realmfilter: { required: { ...id, realm, pattern: "text", url_template: "text", order: "int" } },
  zerver_realmplayground: {
    required: { ...id, realm, name: "text", pygments_language: "text", url_template: "text" },
  },
  zerver_realmuserdefault: { required: { ...id, realm }, optional: userSettings },
  zerver_userprofile: userTable,
  zerver_userprofile_mirrordummy: userTable,
  zerver_userprofile_crossrealm: { required: { ...id, email: "text", recipient_id: "int" } },
  zerver_usergroup: { required: { ...id, realm } },
  zerver_namedusergroup: {
    required: {
      ...{ ...id, usergroup_ptr: group, realm_for_sharding: realm, name: "text", description: "text" },
      ...{
        date_created: "time?",
        creator: toMaybe("zerver_userprofile"),
        is_system_group: "bool",
        deactivated: "bool",
      },
      ...each(groupGroups, group),
    },
  },
  zerver_usergroupmembership: { required: { ...id, user_group: group, user_profile: user } },
  zerver_groupgroupmembership: {
    required: { ...id, supergroup: group, subgroup: to("zerver_namedusergroup") },
  },
  zerver_service: {
    required: { ...id, user_profile: user, name: "text", base_url: "text", token: "text", interface: "int" },
  },
  zerver_botstoragedata: { required: { ...id, bot_profile: user, key: "text", value: "text" } },
  zerver_stream: {
    required: {
      ...{ ...id, realm, name: "text", description: "text", date_created: "time", deactivated: "bool" },
      ...{ creator: toMaybe("zerver_userprofile"), folder: toMaybe("zerver_channelfolder") },
      ...each(channelGroups, group),
    },
    optional: [
      ...["rendered_description", "invite_only", "is_web_public", "history_public_to_subscribers", "topics_policy"],
      ...["message_retention_days", "first_message_id", "subscriber_count"],
    ],
  },
  zerver_huddle: { required: { ...id, huddle_hash: "text", group_size: "int" } },
  zerver_recipient: { required: { ...id, type: "int", type_id: "int" } },
  zerver_subscription: {
    required: {
      ...{ ...id, user_profile: user, recipient: to("zerver_recipient"), active: "bool", is_user_active: "bool" },
    },
    optional: [
      ...["color", "is_muted", "pin_to_top", "desktop_notifications", "audible_notifications", "push_notifications"],
      ...["email_notifications", "wildcard_mentions_notify"],
    ],
  },
  zerver_realmauditlog: {
    required: {
      ...{ ...id, realm, event_type: "int", event_time: "time", event_last_message_id: "int", acting_user: user },
      ...{
        modified_user: user,
        modified_stream: to("zerver_stream"),
        modified_user_group: toMaybe("zerver_usergroup"),
      },
      modified_channel_folder: toMaybe("zerver_channelfolder"),
    },
    optional: ["backfilled", "extra_data"],
  },
  zerver_channelfolder: {
    required: {
      ...{ ...id, realm, name: "text", description: "text", rendered_description: "text", order: "int" },
      ...{ date_created: "time", creator: toMaybe("zerver_userprofile"), is_archived: "bool" },
    },
  },
  zerver_alertword: { required: { ...id, realm, user_profile: user, word: "text" } },
  zerver_customprofilefieldvalue: {
    required: {
      ...{ ...id, user_profile: user, field: to("zerver_customprofilefield"), value: "text", rendered_value: "text?" },
    },
  },
  zerver_muteduser: { required: { ...id, user_profile: user, muted_user: user, date_muted: "time" } },
  zerver_navigationview: { required: { ...id, user, fragment: "text", is_pinned: "bool", name: "text?" } },
  zerver_onboardingstep: { required: { ...id, user, onboarding_step: "text", timestamp: "time" } },
  zerver_savedsnippet: {
    required: { ...id, realm, user_profile: user, title: "text", content: "text", date_created: "time" },
  },
  zerver_useractivity: { required: id },
  zerver_useractivityinterval: { required: id },
  zerver_userpresence: { required: id },
  zerver_userstatus: {
    required: {
      ...{ ...id, user_profile: user, client: to("zerver_client"), timestamp: "time", status_text: "text" },
      ...emojiColumns,
    },
  },
  zerver_usertopic: {
    required: {
      ...{ ...id, user_profile: user, stream: to("zerver_stream"), recipient: to("zerver_recipient") },
      ...{ topic_name: "text", visibility_policy: "int", last_updated: "time" },
    },
  },
  zerver_reaction: { required: { ...id, user_profile: user, message: to("zerver_message"), ...emojiColumns } },
  zerver_client: { required: { ...id, name: "text" } },
  zerver_botconfigdata: { required: { ...id, bot_profile: user, key: "text", value: "text" } },
  // The importer passes over these.
  zerver_draft: {
    required: {
      ...{ ...id, user_profile: user, recipient: toMaybe("zerver_recipient"), topic: "text", content: "text" },
      last_edit_time: "time",
    },
  },
  zerver_defaultstreamgroup: { required: { ...id, realm, name: "text", description: "text", streams: "json" } },
  skein_reminder: {
    required: { ...id, user_profile: user, message: "int", content: "text", scheduled_timestamp: "time" },
  },
  zerver_submessage: {
    required: { ...id, message: to("zerver_message"), sender: user, msg_type: "text", content: "text" },
  },
};

const otherTables: Record<string, Table> = {
  zerver_message: {
    required: {
      ...{ ...id, realm, sender: user, recipient: to("zerver_recipient"), sending_client: to("zerver_client") },
      ...{ type: "int", subject: "text", content: "text", rendered_content: "text", rendered_content_version: "int" },
      ...{ date_sent: "time", last_edit_time: "time?", edit_history: "text?", is_channel_message: "bool" },
      ...{ has_attachment: "bool", has_image: "bool", has_link: "bool" },
    },
  },
  zerver_usermessage: { required: { ...id, user_profile: user, message: to("zerver_message"), flags_mask: "int" } },
  zerver_attachment: {
    required: {
      ...{ ...id, realm, owner: user, file_name: "text", path_id: "text", size: "int", content_type: "text?" },
      ...{ create_time: "time", messages: "json", scheduled_messages: "json" },
    },
    optional: ["is_realm_public", "is_web_public"],
  },
};

type Tables = Record<string, Record<string, unknown>[]>;

const isOfType = (type: Type, value: unknown): boolean =>
  type === "json"
    ? Array.isArray(value)
    : type === "text"
      ? typeof value === "string" && !value.includes("\0")
      : type === "bool"
        ? typeof value === "boolean"
        : type === "int"
          ? Number.isSafeInteger(value)
          : typeof value === "number" && value > 0 && value < 4e9;

/** Everything in which the tables of an archive are not as the importer demands; empty for a good archive. */
export function problemsOf(tables: Tables): string[] {
  const known = { ...realmTables, ...otherTables };
  const idsOf = (table: string) =>
    new Set(
      (table === "zerver_userprofile"
        ? [table, "zerver_userprofile_mirrordummy", "zerver_userprofile_crossrealm"]
        : [table]
      ).flatMap((name) => (tables[name] ?? []).map((row) => row.id)),
    );
  const ids = new Map(Object.keys(known).map((table) => [table, idsOf(table)]));
  // The bots of the server have recipients, but not in the table.
  for (const bot of tables.zerver_userprofile_crossrealm ?? []) ids.get("zerver_recipient")?.add(bot.recipient_id);
  const problems: string[] = Object.keys(tables).flatMap((name) => (name in known ? [] : [`unknown table ${name}`]));
  for (const [name, { required, optional = [] }] of Object.entries(known)) {
    const rows = tables[name];
    if (!rows) problems.push(`${name} is missing`);
    if (new Set(rows?.map((row) => row.id)).size !== (rows?.length ?? 0)) problems.push(`${name} repeats an ID`);
    for (const row of rows ?? []) {
      for (const column of Object.keys(row))
        if (!(column in required) && !optional.includes(column)) problems.push(`${name}.${column} is unknown`);
      for (const [column, type] of Object.entries(required)) {
        const value = row[column];
        const nullable = typeof type === "string" ? type.endsWith("?") : type.nullable === true;
        const valid =
          value === null
            ? nullable
            : typeof type === "string"
              ? isOfType(type.replace("?", "") as Type, value)
              : ids.get(type.to)?.has(value) === true;
        if (!valid) problems.push(`${name} ${row.id}: ${column} is ${JSON.stringify(value)}`);
      }
    }
  }
  return [...new Set([...problems, ...otherProblems(tables, ids)])];
}

/** What the importer looks up besides foreign keys, and what the database would refuse. */
function otherProblems(tables: Tables, ids: Map<string, Set<unknown>>): string[] {
  const of = (name: string) => tables[name] ?? [];
  const repeated = (name: string, columns: readonly string[]) => {
    const keys = of(name).map((row) => JSON.stringify(columns.map((column) => row[column])));
    return new Set(keys).size === keys.length ? [] : [`${name} repeats ${columns.join(", ")}`];
  };
  const users = [...of("zerver_userprofile"), ...of("zerver_userprofile_mirrordummy")];
  const address = /^[-!#$%&'*+/=?^_`{}|~0-9a-z.]+@([a-z0-9-]+\.)+[a-z]{2,63}$/i;
  const emojiNames = new Map(of("zerver_realmemoji").map((emoji) => [String(emoji.id), emoji.name]));
  const targets: Record<number, string> = { 1: "zerver_userprofile", 2: "zerver_stream", 3: "zerver_huddle" };
  const has = (table: string, value: unknown) => ids.get(table)?.has(value) === true;
  return [
    ...repeated("zerver_recipient", ["type", "type_id"]),
    ...repeated("zerver_subscription", ["user_profile", "recipient"]),
    ...repeated("zerver_usergroupmembership", ["user_group", "user_profile"]),
    ...repeated("zerver_groupgroupmembership", ["supergroup", "subgroup"]),
    ...repeated("zerver_usermessage", ["user_profile", "message"]),
    ...repeated("zerver_reaction", ["user_profile", "message", "reaction_type", "emoji_code"]),
    ...repeated("zerver_client", ["name"]),
    ...repeated("zerver_huddle", ["huddle_hash"]),
    ...users.flatMap(({ id, email, delivery_email }) =>
      [email, delivery_email].every((each) => address.test(String(each))) ? [] : [`user ${id} has an invalid address`],
    ),
    ...(new Set(users.map(({ delivery_email }) => String(delivery_email).toLowerCase())).size === users.length
      ? []
      : ["two users have one address"]),
    ...of("zerver_recipient").flatMap(({ id, type, type_id }) =>
      has(targets[Number(type)] ?? "", type_id) ? [] : [`recipient ${id} is of nobody`],
    ),
    ...[...of("zerver_reaction"), ...of("zerver_userstatus")].flatMap((row) =>
      row.reaction_type !== "realm_emoji" || emojiNames.get(String(row.emoji_code)) === row.emoji_name
        ? []
        : [`an emoji of user ${row.user_profile} is not in the archive`],
    ),
    ...of("zerver_message").flatMap(({ id, edit_history }) =>
      (JSON.parse(String(edit_history ?? "[]")) as Record<string, unknown>[]).flatMap((edit) =>
        has("zerver_userprofile", edit.user_id) && "prev_content" in edit === "prev_rendered_content" in edit
          ? []
          : [`message ${id} has an edit that cannot be read`],
      ),
    ),
    ...of("zerver_attachment").flatMap(({ path_id, messages }) =>
      (messages as unknown[]).every((message) => has("zerver_message", message))
        ? []
        : [`${path_id} is linked by a message that is not in the archive`],
    ),
  ];
}
