import {
  type Channel,
  type ChannelFolder,
  type Conversation,
  conversationKey,
  type Draft,
  directConversation,
  type Presence,
  type RealmEmoji,
  type SavedSnippet,
  type ScheduledMessage,
  type Snapshot,
  type State,
  type Status,
  type Subscription,
  topicKey,
  type Unread,
  type User,
  type UserGroup,
  type VisibilityPolicy,
} from "./model.ts";

/** The capabilities that this client declares when it registers an event queue. */
export const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
  simplified_presence_events: true,
};

/** A JSON object of a reply. */
type Raw = Record<string, any>;

const byId = <T, K>(items: readonly T[], key: (item: T) => K) => new Map(items.map((item) => [key(item), item]));

/** The initial state from a registration; messages and lists are empty, and are fetched on demand. */
export function stateOf(snapshot: Snapshot): State {
  const raw = snapshot as Raw;
  const userId = raw.user_id as number;
  const users = [
    ...(raw.realm_users as Raw[]).map((user) => userOf(user, true)),
    ...(raw.realm_non_active_users as Raw[]).map((user) => userOf(user, false)),
    ...(raw.cross_realm_bots as Raw[]).map((user) => userOf(user, true)),
  ];
  const channelRecords: Raw[] = [
    ...(raw.subscriptions as Raw[]),
    ...(raw.unsubscribed as Raw[]),
    ...(raw.never_subscribed as Raw[]),
  ];
  return {
    queueId: raw.queue_id,
    lastEventId: raw.last_event_id,
    userId,
    // Settings of the organization and properties of the server.
    realm: Object.fromEntries(
      Object.entries(raw).filter(([name]) => /^(realm_|max_|server_|zulip_|password_|development_)/.test(name)),
    ),
    settings: raw.user_settings,
    users: byId(users, (user) => user.user_id),
    channels: byId(channelRecords.map(channelOf), (channel) => channel.stream_id),
    subscriptions: byId((raw.subscriptions as Raw[]).map(subscriptionOf), (subscription) => subscription.stream_id),
    folders: byId(raw.channel_folders as ChannelFolder[], (folder) => folder.id),
    groups: byId(raw.realm_user_groups as UserGroup[], (group) => group.id),
    topicPolicies: new Map(
      (raw.user_topics as Raw[]).map((topic) => [
        topicKey(topic.stream_id, topic.topic_name),
        topic.visibility_policy as VisibilityPolicy,
      ]),
    ),
    mutedUsers: new Set((raw.muted_users as Raw[]).map(({ id }) => id as number)),
    presences: new Map(
      Object.entries(raw.presences as Raw).map(([id, presence]) => [Number(id), presenceOf(presence)]),
    ),
    statuses: new Map(Object.entries(raw.user_status as Raw).map(([id, status]) => [Number(id), statusOf(status)])),
    unread: unreadOf(raw.unread_msgs as Raw, userId),
    starred: new Set(raw.starred_messages as number[]),
    drafts: byId(raw.drafts as Draft[], (draft) => draft.id),
    scheduled: byId(raw.scheduled_messages as ScheduledMessage[], (message) => message.scheduled_message_id),
    snippets: byId(raw.saved_snippets as SavedSnippet[], (snippet) => snippet.id),
    profileFields: raw.custom_profile_fields,
    realmEmoji: new Map(Object.entries(raw.realm_emoji as Record<string, RealmEmoji>)),
    recentDirect: new Map(
      (raw.recent_private_conversations as Raw[]).map((recent) => {
        const conversation = directConversation(recent.user_ids as number[], userId);
        return [conversationKey(conversation), { conversation, maxId: recent.max_message_id as number }];
      }),
    ),
    messages: new Map(),
    lists: new Map(),
    outgoing: [],
    typing: new Map(),
    restarts: 0,
  };
}

export const userOf = (raw: Raw, isActive: boolean): User => ({
  user_id: raw.user_id,
  email: raw.email,
  delivery_email: raw.delivery_email ?? null,
  full_name: raw.full_name,
  role: raw.role,
  is_bot: raw.is_bot ?? false,
  is_active: isActive,
  avatar_url: raw.avatar_url ?? null,
  timezone: raw.timezone ?? "",
  date_joined: raw.date_joined ?? "",
  bot_owner_id: raw.bot_owner_id ?? null,
  is_system_bot: raw.is_system_bot ?? false,
  profile_data: raw.profile_data ?? {},
});

/** Whether a property of a channel is a permission. */
export const isPermission = (name: string) => /^can_.*_group$/.test(name);

export const channelOf = (raw: Raw): Channel => ({
  stream_id: raw.stream_id,
  name: raw.name,
  description: raw.description,
  rendered_description: raw.rendered_description,
  invite_only: raw.invite_only,
  is_web_public: raw.is_web_public,
  is_archived: raw.is_archived,
  folder_id: raw.folder_id ?? null,
  topics_policy: raw.topics_policy,
  subscriber_count: raw.subscriber_count,
  stream_weekly_traffic: raw.stream_weekly_traffic ?? null,
  creator_id: raw.creator_id ?? null,
  permissions: Object.fromEntries(Object.entries(raw).filter(([name]) => isPermission(name))),
});

export const subscriptionOf = (raw: Raw): Subscription => ({
  stream_id: raw.stream_id,
  color: raw.color,
  is_muted: raw.is_muted,
  pin_to_top: raw.pin_to_top,
  desktop_notifications: raw.desktop_notifications ?? null,
  audible_notifications: raw.audible_notifications ?? null,
  push_notifications: raw.push_notifications ?? null,
  email_notifications: raw.email_notifications ?? null,
  wildcard_mentions_notify: raw.wildcard_mentions_notify ?? null,
});

export const presenceOf = (raw: Raw): Presence => ({
  active: raw.active_timestamp ?? 0,
  idle: raw.idle_timestamp ?? 0,
});

export const statusOf = (raw: Raw): Status => ({
  status_text: raw.status_text ?? "",
  emoji_name: raw.emoji_name ?? "",
  emoji_code: raw.emoji_code ?? "",
  reaction_type: raw.reaction_type ?? "unicode_emoji",
});

function unreadOf(raw: Raw, ownUserId: number): Unread {
  const byConversation = new Map<string, { conversation: Conversation; ids: ReadonlySet<number> }>();
  const add = (conversation: Conversation, ids: readonly number[]) => {
    const key = conversationKey(conversation);
    // Topics that differ only in case have one key.
    const known = byConversation.get(key)?.ids ?? [];
    byConversation.set(key, { conversation, ids: new Set([...known, ...ids]) });
  };
  for (const { stream_id, topic, unread_message_ids } of raw.streams as Raw[])
    add({ kind: "topic", channelId: stream_id, topic }, unread_message_ids);
  for (const { other_user_id, unread_message_ids } of raw.pms as Raw[])
    add(directConversation([other_user_id], ownUserId), unread_message_ids);
  for (const { user_ids_string, unread_message_ids } of raw.huddles as Raw[])
    add(directConversation((user_ids_string as string).split(",").map(Number), ownUserId), unread_message_ids);
  return {
    byConversation,
    mentions: new Set(raw.mentions as number[]),
    oldUnreadsMissing: raw.old_unreads_missing === true,
  };
}
