import type { operations } from "../api/schema.ts";

/**
 * The client's immutable state: a snapshot from `POST /register`, updated by the events of `GET /events` and by fetched
 * messages. Nothing here touches the network or the page.
 */

/** The body of an operation's successful reply. */
type Json<Operation extends keyof operations> = operations[Operation] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

export type Snapshot = Json<"registerQueue">;
type FetchedMessage = Json<"getMessages">["messages"][number];

export interface Participant {
  id: number;
  email: string;
  full_name: string;
}

/** What the views need of a message. */
export type Message = Pick<
  FetchedMessage,
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
};

export type Reaction = Message["reactions"][number];

/** An emoji that a user chose. */
export type PickedEmoji = Pick<Reaction, "emoji_name" | "emoji_code" | "reaction_type">;

export interface User {
  user_id: number;
  email: string;
  delivery_email: string | null;
  full_name: string;
  role: number;
  is_bot: boolean;
  is_active: boolean;
  avatar_url: string | null;
  timezone: string;
  date_joined: string;
  bot_owner_id: number | null;
  is_system_bot: boolean;
  /** By the field's ID. */
  profile_data: Readonly<Record<string, ProfileValue>>;
}

/** A user's value of a profile field: a text, or user IDs. */
export interface ProfileValue {
  value: string | readonly number[];
  rendered_value?: string;
}

/** A custom profile field. */
export interface ProfileField {
  id: number;
  type: number;
  name: string;
  hint: string;
  /** JSON: the choices, or the URL pattern of an external account. */
  field_data: string;
  required: boolean;
  editable_by_user: boolean;
  display_in_profile_summary?: boolean;
}

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

/** The value of a permission setting: a group, or users and groups. */
export type GroupSetting = number | { direct_members: readonly number[]; direct_subgroups: readonly number[] };

export interface Channel {
  stream_id: number;
  name: string;
  description: string;
  rendered_description: string;
  invite_only: boolean;
  is_web_public: boolean;
  is_archived: boolean;
  folder_id: number | null;
  topics_policy: string;
  subscriber_count: number;
  /** Messages in the last seven days; null for a younger channel. */
  stream_weekly_traffic: number | null;
  creator_id: number | null;
  /** The channel's permissions by name. */
  permissions: Readonly<Record<string, GroupSetting>>;
}

export interface Subscription {
  stream_id: number;
  color: string;
  is_muted: boolean;
  pin_to_top: boolean;
  desktop_notifications: boolean | null;
  audible_notifications: boolean | null;
  push_notifications: boolean | null;
  email_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
}

export interface ChannelFolder {
  id: number;
  name: string;
  order: number;
  is_archived: boolean;
}

export interface UserGroup {
  id: number;
  name: string;
  description: string;
  members: number[];
  direct_subgroup_ids: number[];
  is_system_group: boolean;
  deactivated: boolean;
}

export interface Status {
  status_text: string;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
}

/** When a user was last active and last idle, in UNIX seconds. */
export interface Presence {
  active: number;
  idle: number;
}

export interface Draft {
  id: number;
  type: "" | "stream" | "private";
  to: number[];
  topic: string;
  content: string;
  /** UNIX seconds. */
  timestamp: number;
}

export interface ScheduledMessage {
  scheduled_message_id: number;
  type: "stream" | "private";
  to: number | number[];
  topic?: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds. */
  scheduled_delivery_timestamp: number;
  failed: boolean;
}

export interface SavedSnippet {
  id: number;
  title: string;
  content: string;
}

export interface RealmEmoji {
  id: string;
  name: string;
  source_url: string;
  still_url: string | null;
  deactivated: boolean;
}

/** The visibility policies of topics, as the API numbers them; a topic inherits whether its channel is muted. */
export const visibilityPolicies = { inherited: 0, muted: 1, unmuted: 2, followed: 3 } as const;
export type VisibilityPolicy = (typeof visibilityPolicies)[keyof typeof visibilityPolicies];

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
  realm: Readonly<Record<string, unknown>>;
  settings: Readonly<Record<string, unknown>>;
  users: ReadonlyMap<number, User>;
  channels: ReadonlyMap<number, Channel>;
  subscriptions: ReadonlyMap<number, Subscription>;
  folders: ReadonlyMap<number, ChannelFolder>;
  groups: ReadonlyMap<number, UserGroup>;
  /** By `topicKey`. */
  topicPolicies: ReadonlyMap<string, VisibilityPolicy>;
  mutedUsers: ReadonlySet<number>;
  presences: ReadonlyMap<number, Presence>;
  statuses: ReadonlyMap<number, Status>;
  unread: Unread;
  starred: ReadonlySet<number>;
  drafts: ReadonlyMap<number, Draft>;
  scheduled: ReadonlyMap<number, ScheduledMessage>;
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
