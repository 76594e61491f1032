import type { Reply } from "../base/api/calls.ts";

/**
 * The client's immutable state: a snapshot from `POST /register`, updated by the events of `GET /events` and by fetched
 * messages. Nothing here touches the network or the page. Its records have those fields of the API's that the views need, under
 * the API's names and types.
 */

/** A type whose properties are all present. */
type Present<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/** The registration's fields; the types of the fields of its records that the client's state consists of. */
export type Snapshot = Present<Reply<"POST /register">>;
type ItemOf<List> = List extends readonly (infer Item)[]
  ? Item
  : List extends Record<string, infer Item>
    ? Item
    : never;
/** A record in a list or a map of the registration. */
export type Item<K extends keyof Snapshot> = Present<ItemOf<Snapshot[K]>>;

export type WireMessage = Reply<"GET /messages">["messages"][number];

/** A participant of a direct message. */
export type Participant = Pick<
  Extract<WireMessage["display_recipient"], readonly unknown[]>[number],
  "id" | "email" | "full_name"
>;

/** What the views need of a message. */
export type Message = Pick<
  WireMessage,
  | "id"
  | "type"
  | "timestamp"
  | "content"
  | "stream_id"
  | "subject"
  | "sender_id"
  | "sender_full_name"
  | "is_me_message"
  | "reactions"
  | "submessages"
  | "last_edit_timestamp"
  | "last_moved_timestamp"
> & {
  flags: readonly string[];
  display_recipient: string | Participant[];
  /** The agent that wrote it in its sender's name, or "Email" if it came by email. */
  via?: string;
};

export type Reaction = Message["reactions"][number];

/** An emoji that a user chose. */
export type PickedEmoji = Pick<Reaction, "emoji_name" | "emoji_code" | "reaction_type">;

/** Roles, as the API numbers them: a lower number has more permissions. */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;
export type Role = Item<"realm_users">["role"];

export type User = Pick<
  Item<"realm_users">,
  | "user_id"
  | "email"
  | "delivery_email"
  | "full_name"
  | "role"
  | "is_bot"
  | "avatar_url"
  | "timezone"
  | "date_joined"
  | "bot_type"
  | "bot_owner_id"
> &
  Pick<Item<"cross_realm_bots">, "is_system_bot"> & {
    is_active: boolean;
    /** By the field's ID. */
    profile_data: Readonly<Record<string, ProfileValue>>;
  };

/** A user's value of a profile field: a text, or user IDs. */
export type ProfileValue = Readonly<ItemOf<Item<"realm_users">["profile_data"]>>;

/** A custom profile field. Its `field_data` is JSON: the choices, or the URL pattern of an external account. */
export type ProfileField = Pick<
  Item<"custom_profile_fields">,
  "id" | "type" | "name" | "hint" | "field_data" | "required" | "editable_by_user" | "display_in_profile_summary"
>;

/** The types of profile fields, as the API numbers them. */
export const fieldTypes = {
  shortText: 1,
  longText: 2,
  choice: 3,
  date: 4,
  link: 5,
  people: 6,
  account: 7,
  pronouns: 8,
} as const;

export type WireChannel = Item<"subscriptions">;

export type ChannelPermission = Extract<keyof WireChannel, `can_${string}_group`>;

/** The value of a permission setting: a group, or users and groups. */
export type GroupSetting = WireChannel[ChannelPermission];

/** A channel. `stream_weekly_traffic`, its messages in the last seven days, is null for a younger channel. */
export type Channel = Pick<
  WireChannel,
  | "stream_id"
  | "name"
  | "description"
  | "rendered_description"
  | "invite_only"
  | "is_web_public"
  | "is_archived"
  | "folder_id"
  | "topics_policy"
  | "subscriber_count"
  | "stream_weekly_traffic"
  | "creator_id"
> & { permissions: Readonly<Partial<Record<ChannelPermission, GroupSetting>>> };

export type Subscription = Pick<
  WireChannel,
  | "stream_id"
  | "color"
  | "is_muted"
  | "pin_to_top"
  | "desktop_notifications"
  | "audible_notifications"
  | "push_notifications"
  | "email_notifications"
  | "wildcard_mentions_notify"
>;

export type ChannelFolder = Pick<Item<"channel_folders">, "id" | "name" | "order" | "is_archived">;

export type UserGroup = Pick<
  Item<"realm_user_groups">,
  "id" | "name" | "description" | "members" | "direct_subgroup_ids" | "is_system_group" | "deactivated"
>;

export type Status = Pick<Item<"user_status">, "status_text" | "emoji_name" | "emoji_code" | "reaction_type">;

/** When a user was last active and last idle, in UNIX seconds. */
export interface Presence {
  active: number;
  idle: number;
}

export type Draft = Pick<Item<"drafts">, "id" | "type" | "to" | "topic" | "content" | "timestamp">;

export type ScheduledMessage = Pick<
  Item<"scheduled_messages">,
  | "scheduled_message_id"
  | "type"
  | "to"
  | "topic"
  | "content"
  | "rendered_content"
  | "scheduled_delivery_timestamp"
  | "failed"
>;

export type Reminder = Pick<
  Item<"reminders">,
  "reminder_id" | "rendered_content" | "scheduled_delivery_timestamp" | "reminder_target_message_id"
>;

export type SavedSnippet = Pick<Item<"saved_snippets">, "id" | "title" | "content">;

export type RealmEmoji = Pick<Item<"realm_emoji">, "id" | "name" | "source_url" | "still_url" | "deactivated">;

/** Settings of the organization and properties of the server. */
export type Realm = Readonly<{
  [K in keyof Snapshot as K extends `${"realm" | "max" | "server" | "zulip" | "password" | "development"}_${string}`
    ? K
    : never]?: Snapshot[K];
}>;

/** The user's settings. */
export type Settings = Readonly<Partial<Snapshot["user_settings"]>>;

/** The visibility policies of topics, as the API numbers them; a topic inherits whether its channel is muted. */
export const visibilityPolicies = { inherited: 0, muted: 1, unmuted: 2, followed: 3 } as const;
export type VisibilityPolicy = (typeof visibilityPolicies)[keyof typeof visibilityPolicies];

/** The beginning of a resolved topic's name. */
export const resolvedMark = "✔ ";

/** A destination: a topic of a channel, or the sorted other participants of a direct message (only oneself if alone). */
export type Conversation =
  | { kind: "topic"; channelId: number; topic: string }
  | { kind: "direct"; userIds: readonly number[] };

export interface Unread {
  /** Unread message IDs by conversation. */
  byConversation: ReadonlyMap<string, { conversation: Conversation; ids: ReadonlySet<number> }>;
  /** IDs of unread messages that mention the user. */
  mentions: ReadonlySet<number>;
  /** Whether there are older unread messages, which the server did not list because there are too many. */
  oldUnreadsMissing: boolean;
}

/** A contiguous run of a narrow's messages, and whether it reaches the narrow's ends. */
export interface MessageList {
  ids: readonly number[];
  foundOldest: boolean;
  foundNewest: boolean;
  /** Of a search: the content and the topic of messages, as HTML with what was found marked, and what they were made from. */
  marked?: ReadonlyMap<number, { content: string; from: string; topic: string; fromTopic: string }>;
}

/** A user who is typing. */
export interface Typing {
  userId: number;
  /** When the user no longer counts as typing, unless another notification arrives; in UNIX milliseconds. */
  until: number;
}

export interface State {
  queueId: string;
  lastEventId: number;
  userId: number;
  realm: Realm;
  settings: Settings;
  users: ReadonlyMap<number, User>;
  channels: ReadonlyMap<number, Channel>;
  subscriptions: ReadonlyMap<number, Subscription>;
  folders: ReadonlyMap<number, ChannelFolder>;
  groups: ReadonlyMap<number, UserGroup>;
  /** By `topicKey`. */
  topicPolicies: ReadonlyMap<string, VisibilityPolicy>;
  mutedUsers: ReadonlySet<number>;
  presences: ReadonlyMap<number, Presence>;
  /** The update ID up to which the page has all presences; -1 or 0 if it has none. */
  presenceUpdateId: number;
  /** The server's time at which the presences were fetched, in UNIX seconds, and the page's at which they arrived, in milliseconds. */
  presencesAt: { server: number; receivedMs: number };
  statuses: ReadonlyMap<number, Status>;
  unread: Unread;
  starred: ReadonlySet<number>;
  /** The names of introductions that the user has not put away yet. */
  unseenSteps: ReadonlySet<string>;
  drafts: ReadonlyMap<number, Draft>;
  scheduled: ReadonlyMap<number, ScheduledMessage>;
  reminders: ReadonlyMap<number, Reminder>;
  snippets: ReadonlyMap<number, SavedSnippet>;
  realmEmoji: ReadonlyMap<string, RealmEmoji>;
  profileFields: readonly ProfileField[];
  /** Direct conversations with their newest message, as far as they are known. */
  recentDirect: ReadonlyMap<string, { conversation: Conversation & { kind: "direct" }; maxId: number }>;
  messages: ReadonlyMap<number, Message>;
  /** By `narrowKey`. */
  lists: ReadonlyMap<string, MessageList>;
  /** By `conversationKey`. */
  typing: ReadonlyMap<string, readonly Typing[]>;
  /** How many `restart` events have arrived. The server sends one after a deployment: the page then offers to reload. */
  restarts: number;
}

/** The key of a topic, whose name is case-insensitive. */
export const topicKey = (channelId: number, topic: string) => `${channelId}:${topic.toLowerCase()}`;

export const conversationKey = (conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `topic:${topicKey(conversation.channelId, conversation.topic)}`
    : `direct:${conversation.userIds.join(",")}`;

/** The other participants, sorted; oneself in a conversation with nobody else. */
export function directConversation(
  participants: readonly number[],
  ownUserId: number,
): Conversation & { kind: "direct" } {
  const others = [...new Set(participants)].filter((id) => id !== ownUserId).sort((a, b) => a - b);
  return { kind: "direct", userIds: others.length > 0 ? others : [ownUserId] };
}

export function conversationOf(message: Message, ownUserId: number): Conversation {
  if (message.type === "stream") return { kind: "topic", channelId: message.stream_id ?? 0, topic: message.subject };
  const recipients = Array.isArray(message.display_recipient) ? message.display_recipient : [];
  return directConversation(
    recipients.map(({ id }) => id),
    ownUserId,
  );
}

/** The maximum number of messages in memory. */
export const maxKeptMessages = 10_000;
/** The maximum length of a list: more than a screen shows, and short enough to copy at each event. */
export const maxListLength = 4_000;
