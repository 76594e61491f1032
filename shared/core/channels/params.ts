import { invalidParameterValue } from "../../base/errors.ts";
import { maxAddressLength } from "../../base/limits.ts";
import {
  bool,
  groupSetting,
  groupSettingUpdate,
  int,
  list,
  maybeQuoted,
  nameText,
  object,
  oneOf,
  optional,
  shapeOf,
  string,
  text,
  union,
  withDefault,
} from "../../base/schema/params.ts";
import { channelPermissionNames, topicsPolicies } from "../../store/channels/channels.ts";

/** Parameters shared by several channel endpoints. */

/** Limits how much of an invalid value the error repeats; "realm_default" and "unlimited" are the only valid texts. */
const maxRetentionTextLength = 100;
const maxColorLength = 50;

/** The permissions that let users see a private channel without being subscribed. */
export const visibilityPermissionNames = [
  "can_administer_channel_group",
  "can_add_subscribers_group",
  "can_subscribe_group",
] as const;

/** A number of days, "realm_default" or "unlimited". */
export const retentionParam = () =>
  maybeQuoted(union([int(), string({ max: maxRetentionTextLength })], "an integer or a string"));

export const topicsPolicyParam = () => maybeQuoted(oneOf(topicsPolicies));

/** The settings of a new channel. See https://zulip.com/api/subscribe and https://zulip.com/api/create-channel. */
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
  ...shapeOf(channelPermissionNames, optional(groupSetting())),
};

/** Changes of a channel's permissions. */
export const permissionUpdateParams = shapeOf(channelPermissionNames, optional(groupSettingUpdate()));

/** A channel by name, with the initial values for a new one. */
export const namedChannel = () =>
  object({ name: nameText(), description: withDefault(text(), ""), color: optional(string({ max: maxColorLength })) });

/** Users, all by ID or all by address. */
export const principals = () =>
  union([list(int()), list(string({ max: maxAddressLength }))], "a list of integers or a list of strings");

/** Converts the parameter to its stored form: a number of days, null for the organization's default, -1 for unlimited. */
export function retentionDays(value: number | string | undefined): number | null {
  if (value === undefined || value === "realm_default") return null;
  if (value === "unlimited") return -1;
  if (typeof value === "number" && value > 0) return value;
  throw invalidParameterValue("message_retention_days", value);
}
