import { alertWordsState } from "../alert-words/state.ts";
import { realmBotState } from "../bots/state.ts";
import { channelFoldersState, defaultStreamsState, streamsState, subscriptionState } from "../channels/state.ts";
import { draftsState } from "../drafts/state.ts";
import { realmEmojiState } from "../emoji/state.ts";
import { userGroupsState } from "../groups/state.ts";
import { wireLinkifier } from "../linkifiers/wire.ts";
import { Reader } from "../messages/reader.ts";
import { maxMessageState, recentConversationsState, starredMessagesState, unreadState } from "../messages/state.ts";
import { mutedUsersState } from "../muted-users/state.ts";
import { navigationViewsState } from "../navigation/state.ts";
import type { Realm } from "../organization/access.ts";
import { realmState } from "../organization/state.ts";
import { playgroundsState } from "../playgrounds/state.ts";
import { presenceState } from "../presence/state.ts";
import { profileFieldsState } from "../profile-fields/state.ts";
import { pushDevicesState } from "../push/state.ts";
import { remindersState } from "../reminders/state.ts";
import { wireScheduledMessage } from "../scheduled-messages/wire.ts";
import { pushBouncerUrl } from "../settings.ts";
import { savedSnippetsState } from "../snippets/state.ts";
import type { QueueOptions } from "../store/event-queues.ts";
import { readLinkifiers } from "../store/linkifiers.ts";
import { listScheduledMessages } from "../store/scheduled-messages.ts";
import { listUsers, type User } from "../store/users.ts";
import { mutedTopicsState, userTopicState } from "../user-topics/state.ts";
import type { Caller } from "../users/caller.ts";
import {
  realmUserState,
  settingsOf,
  userSettingsDefaults,
  userSettingsState,
  userStatusState,
} from "../users/state.ts";
import { absentFeatures } from "./absent.ts";
import { legacyDisplaySettings, legacyNotificationSettings } from "./legacy-settings.ts";
import { stateWithNamedTopics } from "./named-topics.ts";
import type { State } from "./state-shape.ts";
import { subscriptionView } from "./subscription-view.ts";

/** What a state is told for. */
export interface StateRequest {
  caller: Caller;
  realm: Realm;
  options: QueueOptions;
  /** Where the API is reached from outside. */
  baseUrl: string;
  presenceHistoryDays?: number | undefined;
  /** Types of which the client wants the state; undefined: of all. */
  types: ReadonlySet<string> | undefined;
}

/** What several parts need, read once. */
interface Shared {
  users: () => Promise<User[]>;
}

type Part = (request: StateRequest, shared: Shared) => Promise<State> | State;

const can = ({ options }: StateRequest, capability: string) => options.capabilities.includes(capability);

/** The fields of `/register`, by the event type whose clients want them (companion reference, C). */
const parts: Record<string, Part> = {
  subscription: async ({ caller, realm, options }) => ({
    ...(await subscriptionState(caller, realm, await subscriptionView(options, caller.id))),
  }),
  stream: async ({ caller, realm, options }) => ({
    streams: await streamsState(caller, realm, {
      archivedChannels: options.capabilities.includes("archived_channels"),
    }),
  }),
  default_streams: async ({ caller }) => ({ realm_default_streams: await defaultStreamsState(caller) }),
  channel_folders: async () => ({ channel_folders: await channelFoldersState() }),
  realm_user: async ({ caller, realm, options }, { users }) => realmUserState(caller, realm, await users(), options),
  realm_bot: async ({ caller }) => ({ realm_bots: await realmBotState(caller) }),
  user_settings: async ({ caller }) => ({ user_settings: await userSettingsState(caller) }),
  realm_user_settings_defaults: () => ({ realm_user_settings_defaults: userSettingsDefaults() }),
  user_status: async ({ caller, realm }) => ({ user_status: await userStatusState(caller, realm) }),
  presence: async ({ caller, realm, options, presenceHistoryDays }, { users }) => ({
    ...(await presenceState(caller, realm, {
      historyLimitDays: presenceHistoryDays,
      slim: options.slimPresence,
      users,
    })),
  }),
  realm: ({ realm, baseUrl }) => realmState(realm, { baseUrl, pushEnabled: pushBouncerUrl() !== undefined }),
  realm_user_groups: async (request, { users }) => ({
    realm_user_groups: await userGroupsState(request.realm.settings.waiting_period_threshold, {
      includeDeactivated: can(request, "include_deactivated_groups"),
      users: await users(),
    }),
  }),
  message: async ({ caller, realm, types }) => ({
    ...(await maxMessageState()),
    ...(types?.has("update_message_flags") !== false && (await unreadState(new Reader(caller, realm)))),
  }),
  starred_messages: ({ caller, realm }) => starredMessagesState(new Reader(caller, realm)),
  recent_private_conversations: ({ caller, realm }) => recentConversationsState(new Reader(caller, realm)),
  realm_emoji: () => realmEmojiState(),
  custom_profile_fields: () => profileFieldsState(),
  navigation_views: ({ caller }) => navigationViewsState(caller),
  realm_playgrounds: () => playgroundsState(),
  push_device: async ({ caller }) => ({ push_devices: await pushDevicesState(caller.id) }),
  saved_snippets: ({ caller }) => savedSnippetsState(caller),
  reminders: ({ caller }) => remindersState(caller),
  alert_words: ({ caller }) => alertWordsState(caller),
  drafts: ({ caller }) => draftsState(caller),
  muted_users: ({ caller }) => mutedUsersState(caller),
  user_topic: ({ caller }) => userTopicState(caller),
  // Whoever asks for the newer form by name gets that alone.
  muted_topics: ({ caller, types }) => (types?.has("user_topic") ? {} : mutedTopicsState(caller)),
  realm_linkifiers: async (request) => ({
    realm_linkifiers: can(request, "linkifier_url_template")
      ? (await readLinkifiers()).linkifiers.map(wireLinkifier)
      : [],
  }),
  update_display_settings: async (request) =>
    can(request, "user_settings_object") ? {} : legacyDisplaySettings(await settingsOf(request.caller.id)),
  update_global_notifications: async (request) =>
    can(request, "user_settings_object") ? {} : legacyNotificationSettings(await settingsOf(request.caller.id)),
  ...Object.fromEntries(Object.entries(absentFeatures).map(([type, fields]) => [type, () => fields])),
  scheduled_messages: async ({ caller }) => ({
    scheduled_messages: (await listScheduledMessages(caller.id))
      .sort((a, b) => a.deliverAt - b.deliverAt)
      .map(wireScheduledMessage),
  }),
};

/** The state of the types that a client wants; all parts are read at the same time. */
export async function initialState(request: StateRequest): Promise<State> {
  let users: Promise<User[]> | undefined;
  const shared: Shared = { users: () => (users ??= listUsers()) };
  const wanted = Object.entries(parts).filter(([type]) => request.types?.has(type) !== false);
  const states = await Promise.all(wanted.map(([, part]) => part(request, shared)));
  const state = Object.assign({}, ...states);
  if (can(request, "empty_topic_name")) return state;
  return stateWithNamedTopics(state, request.realm.settings.empty_topic_display_name);
}
