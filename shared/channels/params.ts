import { invalidParameterValue } from "../errors.ts";
import { channelPermissionRules } from "../groups/permission-rules.ts";
import {
  bool,
  either,
  groupSetting,
  groupSettingUpdate,
  int,
  maybeQuoted,
  object,
  oneOf,
  optional,
  string,
  text,
  withDefault,
} from "../http/params.ts";
import { topicsPolicies } from "../store/channels.ts";

/** The parameters that several of the channels' endpoints share. */

export const permissionNames = Object.keys(channelPermissionRules) as (keyof typeof channelPermissionRules)[];

/** A number of days, or one of two words. */
export const retentionParam = () => maybeQuoted(either([int(), string({ max: 100 })], "an integer or a string"));

export const topicsPolicyParam = () => maybeQuoted(oneOf(topicsPolicies));

/** How a channel begins (4.2, 4.4). */
export const creationParams = {
  announce: withDefault(bool(), false),
  invite_only: withDefault(bool(), false),
  is_web_public: withDefault(bool(), false),
  is_default_stream: withDefault(bool(), false),
  folder_id: optional(int()),
  topics_policy: withDefault(topicsPolicyParam(), "inherit"),
  history_public_to_subscribers: optional(bool()),
  message_retention_days: optional(retentionParam()),
  send_new_subscription_messages: withDefault(bool(), true),
  can_add_subscribers_group: optional(groupSetting()),
  can_remove_subscribers_group: optional(groupSetting()),
  can_administer_channel_group: optional(groupSetting()),
  can_delete_any_message_group: optional(groupSetting()),
  can_delete_own_message_group: optional(groupSetting()),
  can_move_messages_out_of_channel_group: optional(groupSetting()),
  can_move_messages_within_channel_group: optional(groupSetting()),
  can_send_message_group: optional(groupSetting()),
  can_subscribe_group: optional(groupSetting()),
  can_resolve_topics_group: optional(groupSetting()),
};

/** Changes of a channel's permissions. */
export const permissionUpdateParams = {
  can_add_subscribers_group: optional(groupSettingUpdate()),
  can_remove_subscribers_group: optional(groupSettingUpdate()),
  can_administer_channel_group: optional(groupSettingUpdate()),
  can_delete_any_message_group: optional(groupSettingUpdate()),
  can_delete_own_message_group: optional(groupSettingUpdate()),
  can_move_messages_out_of_channel_group: optional(groupSettingUpdate()),
  can_move_messages_within_channel_group: optional(groupSettingUpdate()),
  can_send_message_group: optional(groupSettingUpdate()),
  can_subscribe_group: optional(groupSettingUpdate()),
  can_resolve_topics_group: optional(groupSettingUpdate()),
};

/** A channel by its name, with what a new one begins with. */
export const namedChannel = () =>
  object({ name: text(), description: withDefault(text(), ""), color: optional(string({ max: 50 })) });

/** Users by ID or address. */
export const principal = () => either([int(), string({ max: 254 })], "an integer or a string");

/** Days as they are stored: null for the organization's own number, -1 for ever. */
export function retentionDays(value: number | string | undefined): number | null {
  if (value === undefined || value === "realm_default") return null;
  if (value === "unlimited") return -1;
  if (typeof value === "number" && value > 0) return value;
  throw invalidParameterValue("message_retention_days", value);
}
