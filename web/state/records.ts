import {
  type Channel,
  type ChannelFolder,
  type Draft,
  type GroupSetting,
  type Item,
  type Message,
  type Participant,
  type Presence,
  type ProfileField,
  type ProfileValue,
  type Reaction,
  type RealmEmoji,
  type Reminder,
  roles,
  type SavedSnippet,
  type ScheduledMessage,
  type State,
  type Status,
  type Subscription,
  type User,
  type UserGroup,
  type VisibilityPolicy,
  visibilityPolicies,
  type WireMessage,
} from "./model.ts";
import {
  byNumber,
  flag,
  id,
  list,
  localPath,
  mapOf,
  members,
  number,
  oneOf,
  orNull,
  type Reader,
  record,
  text,
} from "./readers.ts";

/** Reads the records of snapshots, events and replies (`readers.ts`). */

export const ids = list(id);
export const stepNamesOf: Reader<ReadonlySet<string>> = (value) =>
  new Set(list((step) => text(members<Item<"onboarding_steps">>(step).name))(value));
const nullableText = orNull("string", text);
const nullableFlag = orNull("boolean", flag);

const profileValue: Reader<ProfileValue> = (value) => {
  const { value: content, rendered_value } = members<ProfileValue>(value);
  return {
    value: text(content),
    ...(typeof rendered_value === "string" && { rendered_value }),
  };
};

const user = record<Omit<User, "is_active">>({
  user_id: id,
  email: text,
  delivery_email: nullableText,
  full_name: text,
  role: oneOf(Object.values(roles), roles.guest),
  is_bot: flag,
  avatar_url: nullableText,
  timezone: text,
  date_joined: text,
  bot_type: number,
  bot_owner_id: orNull("number", number),
  is_system_bot: flag,
  profile_data: (value) => Object.fromEntries(mapOf(profileValue)(value)),
});
export const userOf = (raw: unknown, isActive: boolean): User => ({ ...user(raw), is_active: isActive });

/** Whether a property of a channel is a permission. */
const isPermission = (name: string) => /^can_.*_group$/.test(name);

export const groupSettingOf: Reader<GroupSetting> = (value) => {
  if (typeof value === "number") return value;
  const { direct_members, direct_subgroups } = members(value);
  return { direct_members: ids(direct_members), direct_subgroups: ids(direct_subgroups) };
};

const channel = record<Omit<Channel, "permissions">>({
  stream_id: id,
  name: text,
  description: text,
  rendered_description: text,
  invite_only: flag,
  is_web_public: flag,
  is_archived: flag,
  folder_id: orNull("number", number),
  topics_policy: oneOf<Channel["topics_policy"]>(
    ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"],
    "inherit",
  ),
  subscriber_count: number,
  stream_weekly_traffic: orNull("number", number),
  creator_id: orNull("number", number),
});
export const channelOf = (raw: unknown): Channel => ({
  ...channel(raw),
  permissions: Object.fromEntries(
    Object.entries(members(raw)).flatMap(([name, value]) =>
      isPermission(name) ? [[name, groupSettingOf(value)]] : [],
    ),
  ),
});
export const subscriptionOf = record<Subscription>({
  stream_id: id,
  color: text,
  is_muted: flag,
  pin_to_top: flag,
  desktop_notifications: nullableFlag,
  audible_notifications: nullableFlag,
  push_notifications: nullableFlag,
  email_notifications: nullableFlag,
  wildcard_mentions_notify: nullableFlag,
});

export const folderOf = record<ChannelFolder>({ id, name: text, order: number, is_archived: flag });

export const groupOf = record<UserGroup>({
  id,
  name: text,
  description: text,
  members: ids,
  direct_subgroup_ids: ids,
  is_system_group: flag,
  deactivated: flag,
});

export const presenceOf: Reader<Presence> = (value) => {
  const { active_timestamp, idle_timestamp } =
    members<Extract<Item<"presences">, { active_timestamp?: unknown }>>(value);
  return { active: number(active_timestamp), idle: number(idle_timestamp) };
};

/** The address of a picture of the organization, if one was uploaded. */
export const uploadedPicture = (source: unknown, url: unknown): string | undefined =>
  source === "U" ? localPath(url) || undefined : undefined;

/** What a reply says of presences, which arrives at `nowMs`. */
export interface PresenceFields {
  presences: unknown;
  presence_last_update_id: unknown;
  server_timestamp: unknown;
}

export const presenceFieldsOf = (
  { presences, presence_last_update_id, server_timestamp }: { readonly [name in keyof PresenceFields]?: unknown },
  nowMs: number,
): Pick<State, "presences" | "presenceUpdateId" | "presencesAt"> => ({
  presences: byNumber(mapOf(presenceOf)(presences)),
  presenceUpdateId: number(presence_last_update_id),
  presencesAt: { server: number(server_timestamp), receivedMs: nowMs },
});

const reactionType = oneOf<Reaction["reaction_type"]>(
  ["unicode_emoji", "realm_emoji", "service_extra_emoji", "zulip_extra_emoji"],
  "unicode_emoji",
);

export const statusOf: Reader<Status> = (value) => {
  const { status_text, emoji_name, emoji_code, reaction_type } = members<Status>(value);
  return {
    status_text: text(status_text),
    emoji_name: text(emoji_name),
    emoji_code: text(emoji_code),
    reaction_type: reactionType(reaction_type),
  };
};

export const draftOf = record<Draft>({
  id,
  type: oneOf<Draft["type"]>(["", "stream", "private"], ""),
  to: ids,
  topic: text,
  content: text,
  timestamp: number,
});

const scheduled = record<ScheduledMessage>({
  scheduled_message_id: id,
  type: oneOf<ScheduledMessage["type"]>(["stream", "private"], "private"),
  to: (value) => (typeof value === "number" ? value : ids(value)),
  topic: text,
  content: text,
  rendered_content: text,
  scheduled_delivery_timestamp: number,
  failed: flag,
});

export const scheduledOf: Reader<ScheduledMessage> = (value) => {
  const message = scheduled(value);
  return message.type === "private" && typeof message.to === "number" ? { ...message, to: [message.to] } : message;
};

export const reminderOf = record<Reminder>({
  reminder_id: id,
  rendered_content: text,
  scheduled_delivery_timestamp: number,
  reminder_target_message_id: id,
});

/** The ID of the channel of a subscription. */
export const channelIdOf: Reader<number> = (value) => id(members<{ stream_id: number }>(value).stream_id);

export const snippetOf = record<SavedSnippet>({ id, title: text, content: text });

export const emojiOf = record<RealmEmoji>({
  id: text,
  name: text,
  source_url: localPath,
  still_url: nullableText,
  deactivated: flag,
});

export const profileFieldOf = record<ProfileField>({
  id,
  type: number,
  name: text,
  hint: text,
  field_data: text,
  required: flag,
  editable_by_user: flag,
  display_in_profile_summary: flag,
});

export const policyOf: Reader<VisibilityPolicy> = oneOf(
  Object.values(visibilityPolicies),
  visibilityPolicies.inherited,
);

const participants = list(record<Participant>({ id, email: text, full_name: text }));

const reactions = list(
  record<Reaction>({ user_id: id, emoji_name: text, emoji_code: text, reaction_type: reactionType }),
);

const submessages = list(
  record<Message["submessages"][number]>({ id, message_id: id, sender_id: id, msg_type: text, content: text }),
);

export const messageOf: Reader<Message> = (value) => {
  const raw = members<WireMessage>(value);
  const { type, stream_id, display_recipient, last_edit_timestamp, last_moved_timestamp } = raw;
  const client = text(raw.client);
  return {
    id: id(raw.id),
    ...(type === "stream" ? { type, stream_id: id(stream_id) } : { type: "private" }),
    subject: text(raw.subject),
    display_recipient: Array.isArray(display_recipient) ? participants(display_recipient) : text(display_recipient),
    sender_id: id(raw.sender_id),
    sender_full_name: text(raw.sender_full_name),
    timestamp: number(raw.timestamp),
    content: text(raw.content),
    is_me_message: flag(raw.is_me_message),
    flags: list(text)(raw.flags),
    reactions: reactions(raw.reactions),
    submessages: submessages(raw.submessages),
    ...(/^agent:|^Email$/.test(client) && { via: client.replace("agent:", "") }),
    ...(typeof last_edit_timestamp === "number" && { last_edit_timestamp }),
    ...(typeof last_moved_timestamp === "number" && { last_moved_timestamp }),
  };
};
