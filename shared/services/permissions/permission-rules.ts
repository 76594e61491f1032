import type { systemGroups } from "../../base/schema/system-groups.ts";
import type { ChannelPermissions } from "../../store/channels/channels.ts";

/** Which system groups a permission setting allows, in the form of `server_supported_permission_settings`. */
export interface PermissionRule {
  require_system_group: boolean;
  allow_internet_group: boolean;
  allow_nobody_group: boolean;
  allow_everyone_group: boolean;
  default_group_name: string;
  default_for_system_groups: string | null;
  /** When it is not empty, no other system group is allowed. */
  allowed_system_groups: string[];
}

type SystemGroupName = (typeof systemGroups)[number]["name"];

const rule = (
  allowedGroups: "any" | "no everyone" | "no nobody" | "neither",
  default_group_name: SystemGroupName | "stream_creator_or_nobody" | "group_creator",
  otherFields: Partial<PermissionRule> = {},
): PermissionRule => ({
  require_system_group: false,
  allow_internet_group: false,
  allow_nobody_group: allowedGroups === "any" || allowedGroups === "no everyone",
  allow_everyone_group: allowedGroups === "any" || allowedGroups === "no nobody",
  default_group_name,
  default_for_system_groups: null,
  allowed_system_groups: [],
  ...otherFields,
});

/** The organization's permissions; see https://zulip.com/api/update-realm. */
export const realmPermissionRules = {
  can_access_all_users_group: rule("no nobody", "role:everyone", {
    require_system_group: true,
    allowed_system_groups: ["role:everyone", "role:members"],
  }),
  can_add_subscribers_group: rule("no everyone", "role:members"),
  can_add_custom_emoji_group: rule("no everyone", "role:members"),
  can_connect_agents_group: rule("no everyone", "role:members"),
  can_create_bots_group: rule("no everyone", "role:members"),
  can_create_write_only_bots_group: rule("no everyone", "role:members"),
  can_create_groups: rule("no everyone", "role:members"),
  can_create_public_channel_group: rule("no everyone", "role:members"),
  can_create_private_channel_group: rule("no everyone", "role:members"),
  can_create_users_group: rule("no everyone", "role:administrators"),
  can_invite_users_group: rule("no everyone", "role:members"),
  can_move_messages_between_channels_group: rule("no everyone", "role:members"),
  can_create_web_public_channel_group: rule("no everyone", "role:owners", {
    require_system_group: true,
    allowed_system_groups: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  }),
  create_multiuse_invite_group: rule("no everyone", "role:administrators"),
  can_delete_any_message_group: rule("no everyone", "role:administrators"),
  can_mention_many_users_group: rule("any", "role:administrators"),
  can_manage_all_groups: rule("neither", "role:owners"),
  can_manage_billing_group: rule("neither", "role:administrators"),
  can_delete_own_message_group: rule("any", "role:everyone"),
  can_move_messages_between_topics_group: rule("any", "role:everyone"),
  can_resolve_topics_group: rule("any", "role:everyone"),
  can_summarize_topics_group: rule("any", "role:everyone"),
  direct_message_initiator_group: rule("any", "role:everyone"),
  direct_message_permission_group: rule("any", "role:everyone"),
  can_set_topics_policy_group: rule("any", "role:members"),
  can_set_delete_message_policy_group: rule("no everyone", "role:moderators"),
} as const;

/** A channel's permissions; see https://zulip.com/api/update-stream. */
export const channelPermissionRules = {
  can_add_subscribers_group: rule("no everyone", "role:nobody"),
  can_subscribe_group: rule("no everyone", "role:nobody"),
  can_administer_channel_group: rule("no everyone", "stream_creator_or_nobody"),
  can_remove_subscribers_group: rule("any", "role:administrators"),
  can_send_message_group: rule("any", "role:everyone"),
  can_delete_any_message_group: rule("any", "role:nobody"),
  can_delete_own_message_group: rule("any", "role:nobody"),
  can_move_messages_out_of_channel_group: rule("any", "role:nobody"),
  can_move_messages_within_channel_group: rule("any", "role:nobody"),
  can_resolve_topics_group: rule("any", "role:nobody"),
} as const satisfies Record<keyof ChannelPermissions, PermissionRule>;

const nobodyForSystemGroups = { default_for_system_groups: "role:nobody" };

/** A user group's permissions; see https://zulip.com/api/update-user-group. */
export const groupPermissionRules = {
  can_add_members_group: rule("no everyone", "group_creator", nobodyForSystemGroups),
  can_join_group: rule("no everyone", "role:nobody", nobodyForSystemGroups),
  can_leave_group: rule("any", "role:everyone", nobodyForSystemGroups),
  can_manage_group: rule("no everyone", "group_creator", nobodyForSystemGroups),
  can_mention_group: rule("any", "role:everyone", {
    ...nobodyForSystemGroups,
    // All system groups but role:internet and role:owners.
    allowed_system_groups: [
      "role:nobody",
      "role:administrators",
      "role:moderators",
      "role:fullmembers",
      "role:members",
      "role:everyone",
    ],
  }),
  can_remove_members_group: rule("no everyone", "role:nobody", nobodyForSystemGroups),
} as const;

export function allowsSystemGroup(rule: PermissionRule, name: SystemGroupName): boolean {
  if (name === "role:internet") return rule.allow_internet_group;
  if (name === "role:nobody" && !rule.allow_nobody_group) return false;
  if (name === "role:everyone" && !rule.allow_everyone_group) return false;
  return rule.allowed_system_groups.length === 0 || rule.allowed_system_groups.includes(name);
}
