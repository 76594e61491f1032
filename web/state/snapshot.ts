import type { Reply } from "../base/api/calls.ts";
import { asList } from "../base/lib/json.ts";
import {
  type Conversation,
  conversationKey,
  directConversation,
  type Item,
  type Settings,
  type Snapshot,
  type State,
  topicKey,
  type Unread,
} from "./model.ts";
import { byNumber, flag, id, list, mapOf, members, number, text } from "./readers.ts";
import {
  channelOf,
  draftOf,
  emojiOf,
  folderOf,
  groupOf,
  ids,
  policyOf,
  presenceFieldsOf,
  profileFieldOf,
  reminderOf,
  scheduledOf,
  snippetOf,
  statusOf,
  stepNamesOf,
  subscriptionOf,
  userOf,
} from "./records.ts";

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

const byId = <T, K>(items: readonly T[], key: (item: T) => K) => new Map(items.map((item) => [key(item), item]));

/** The initial state from a registration; messages and lists are empty, and are fetched on demand. */
export function stateOf(snapshot: Reply<"POST /register">): State {
  const raw = members<Snapshot>(snapshot);
  const userId = id(raw.user_id);
  // Without these two, no events could be received.
  const lastEventId = id(raw.last_event_id);
  if (typeof raw.queue_id !== "string") throw new TypeError("The registration names no event queue");
  const activeUsers = list((user) => userOf(user, true));
  const users = [
    ...activeUsers(raw.realm_users),
    ...list((user) => userOf(user, false))(raw.realm_non_active_users),
    ...activeUsers(raw.cross_realm_bots),
  ];
  const channelRecords = [raw.subscriptions, raw.unsubscribed, raw.never_subscribed].flatMap(asList);
  return {
    queueId: raw.queue_id,
    lastEventId,
    userId,
    // Settings of the organization and properties of the server.
    realm: Object.fromEntries(
      Object.entries(raw).filter(([name]) => /^(realm_|max_|server_|zulip_|password_|development_)/.test(name)),
    ),
    settings: members(raw.user_settings) as Settings,
    users: byId(users, (user) => user.user_id),
    channels: byId(list(channelOf)(channelRecords), (channel) => channel.stream_id),
    subscriptions: byId(list(subscriptionOf)(raw.subscriptions), (subscription) => subscription.stream_id),
    folders: byId(list(folderOf)(raw.channel_folders), (folder) => folder.id),
    groups: byId(list(groupOf)(raw.realm_user_groups), (group) => group.id),
    topicPolicies: new Map(
      asList(raw.user_topics).map((topic) => {
        const { stream_id, topic_name, visibility_policy } = members<Item<"user_topics">>(topic);
        return [topicKey(number(stream_id), text(topic_name)), policyOf(visibility_policy)];
      }),
    ),
    mutedUsers: new Set(ids(asList(raw.muted_users).map((muted) => members<Item<"muted_users">>(muted).id))),
    ...presenceFieldsOf(raw, Date.now()),
    statuses: byNumber(mapOf(statusOf)(raw.user_status)),
    unread: unreadOf(members<WireUnread>(raw.unread_msgs), userId),
    starred: new Set(ids(raw.starred_messages)),
    unseenSteps: stepNamesOf(raw.onboarding_steps),
    drafts: byId(list(draftOf)(raw.drafts), (draft) => draft.id),
    scheduled: byId(list(scheduledOf)(raw.scheduled_messages), (message) => message.scheduled_message_id),
    reminders: byId(list(reminderOf)(raw.reminders), (reminder) => reminder.reminder_id),
    snippets: byId(list(snippetOf)(raw.saved_snippets), (snippet) => snippet.id),
    profileFields: list(profileFieldOf)(raw.custom_profile_fields),
    realmEmoji: mapOf(emojiOf)(raw.realm_emoji),
    recentDirect: new Map(
      asList(raw.recent_private_conversations).map((recent) => {
        const { user_ids, max_message_id } = members<Item<"recent_private_conversations">>(recent);
        const conversation = directConversation(ids(user_ids), userId);
        return [conversationKey(conversation), { conversation, maxId: number(max_message_id) }];
      }),
    ),
    messages: new Map(),
    lists: new Map(),
    typing: new Map(),
    restarts: 0,
  };
}

type WireUnread = Snapshot["unread_msgs"];

function unreadOf(raw: { readonly [K in keyof WireUnread]?: unknown }, ownUserId: number): Unread {
  const byConversation = new Map<string, { conversation: Conversation; ids: ReadonlySet<number> }>();
  const add = (conversation: Conversation, messageIds: unknown) => {
    const key = conversationKey(conversation);
    // Topics that differ only in case have one key.
    const known = byConversation.get(key)?.ids ?? [];
    byConversation.set(key, { conversation, ids: new Set([...known, ...ids(messageIds)]) });
  };
  for (const { stream_id, topic, unread_message_ids } of asList(raw.streams).map(
    members<WireUnread["streams"][number]>,
  ))
    add({ kind: "topic", channelId: number(stream_id), topic: text(topic) }, unread_message_ids);
  for (const { other_user_id, unread_message_ids } of asList(raw.pms).map(members<WireUnread["pms"][number]>))
    add(directConversation([number(other_user_id)], ownUserId), unread_message_ids);
  for (const { user_ids_string, unread_message_ids } of asList(raw.huddles).map(members<WireUnread["huddles"][number]>))
    add(directConversation(text(user_ids_string).split(",").map(Number), ownUserId), unread_message_ids);
  return {
    byConversation,
    mentions: new Set(ids(raw.mentions)),
    oldUnreadsMissing: flag(raw.old_unreads_missing),
  };
}
