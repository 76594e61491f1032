import { pushBouncerUrl } from "../../base/environment.ts";
import { defaultStreamsState, streamsState, subscriptionState } from "../../core/channels/state.ts";
import { defaultStreamGroupsState } from "../../core/default-streams/groups.ts";
import { realmEmojiState } from "../../core/emoji/wire.ts";
import { toLinkifierWire } from "../../core/linkifiers/linkifiers.ts";
import { realmState } from "../../core/organization/state.ts";
import { playgroundsState } from "../../core/playgrounds/playgrounds.ts";
import { presenceState } from "../../core/presence/state.ts";
import { profileFieldsState } from "../../core/profile-fields/state.ts";
import { realmDomainsState } from "../../core/realm-domains/realm-domains.ts";
import { userGroupsState } from "../../core/user-groups/state.ts";
import { mutedTopicsState, userTopicState } from "../../core/user-topics/state.ts";
import {
  findEffectiveSettings,
  realmUserState,
  userSettingsDefaults,
  userSettingsState,
  userStatusState,
} from "../../core/users/state.ts";
import { starredMessagesState } from "../../messaging/messages/flags/stars.ts";
import { maxMessageState, recentConversationsState, unreadState } from "../../messaging/messages/flags/state.ts";
import { Reader } from "../../messaging/messages/reader.ts";
import { pushDevicesState } from "../../messaging/mobile-push/state.ts";
import { remindersState } from "../../messaging/reminders/reminders.ts";
import { toScheduledMessageWire } from "../../messaging/scheduled-messages/wire.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { listChannelFolders } from "../../store/channels/channel-folders.ts";
import { readChannelsAhead } from "../../store/channels/channels.ts";
import type { QueueOptions } from "../../store/delivery/event-queues.ts";
import { listScheduledMessages } from "../../store/messages/scheduled-messages.ts";
import { listEmoji } from "../../store/organization/emoji.ts";
import { listGroups } from "../../store/organization/groups.ts";
import { readLinkifiers } from "../../store/organization/linkifiers.ts";
import { readOwnItemsAhead } from "../../store/users/own-items.ts";
import { type CopiedUser, type People, readPeople } from "../../store/users/people-copy.ts";
import { listUserStatuses } from "../../store/users/user-status.ts";
import { listUsers } from "../../store/users/users.ts";
import { alertWordsState } from "../alert-words/alert-words.ts";
import { realmBotState } from "../bots/state.ts";
import { channelFoldersState } from "../channel-folders/channel-folders.ts";
import { draftsState } from "../drafts/drafts.ts";
import { mutedUsersState } from "../muted-users/muted-users.ts";
import { navigationViewsState } from "../navigation-views/navigation-views.ts";
import { onboardingState } from "../onboarding/onboarding.ts";
import { savedSnippetsState } from "../saved-snippets/saved-snippets.ts";
import { legacyDisplaySettings, legacyNotificationSettings } from "./legacy-settings.ts";
import { stateWithNamedTopics } from "./named-topics.ts";
import { absentFeatures } from "./realm-shape.ts";
import type { State } from "./state-shape.ts";
import { subscriptionView } from "./subscription-view.ts";

interface StateRequest {
  caller: Caller;
  realm: Realm;
  options: QueueOptions;
  baseUrl: string;
  presenceHistoryDays?: number | undefined;
  /** The ID of the newest message in the snapshot: newer messages come as events. */
  newestMessage: number;
  /** The event types whose state the client wants; undefined: all. */
  types: ReadonlySet<string> | undefined;
}

/** Reads that several parts share. */
interface Shared {
  users: () => Promise<CopiedUser[]>;
}

type Part = (request: StateRequest, shared: Shared) => Promise<State> | State;

const can = ({ options }: Pick<StateRequest, "options">, capability: string) =>
  options.capabilities.includes(capability);

/** The fields of `/register` by event type (https://zulip.com/api/register-queue). */
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
  default_stream_groups: async ({ caller }) => ({
    realm_default_stream_groups: await defaultStreamGroupsState(caller),
  }),
  channel_folders: async () => ({ channel_folders: await channelFoldersState() }),
  realm_user: async ({ caller, realm, options }, { users }) => realmUserState(caller, realm, await users(), options),
  realm_bot: async ({ caller, types }, { users }) => ({
    realm_bots: await realmBotState(caller, types ? undefined : await users()),
  }),
  user_settings: async ({ caller }) => ({ user_settings: await userSettingsState(caller) }),
  realm_user_settings_defaults: ({ realm }) => ({ realm_user_settings_defaults: userSettingsDefaults(realm) }),
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
  message: async ({ caller, realm, types, newestMessage }) => ({
    ...maxMessageState(newestMessage),
    ...(types?.has("update_message_flags") !== false &&
      (await unreadState(new Reader(caller, realm), newestMessage, {
        listsConversations: types?.has("recent_private_conversations") !== false,
      }))),
  }),
  starred_messages: ({ caller, realm }) => starredMessagesState(new Reader(caller, realm)),
  recent_private_conversations: ({ caller, realm, newestMessage }) =>
    recentConversationsState(new Reader(caller, realm), newestMessage),
  realm_emoji: () => realmEmojiState(),
  custom_profile_fields: () => profileFieldsState(),
  onboarding_steps: async ({ caller }) => ({ ...(await onboardingState(caller)), navigation_tour_video_url: null }),
  navigation_views: ({ caller }) => navigationViewsState(caller),
  realm_playgrounds: () => playgroundsState(),
  realm_domains: () => realmDomainsState(),
  push_device: async ({ caller }) => ({ push_devices: await pushDevicesState(caller.id) }),
  saved_snippets: ({ caller }) => savedSnippetsState(caller),
  reminders: ({ caller }) => remindersState(caller),
  alert_words: ({ caller }) => alertWordsState(caller),
  drafts: ({ caller }) => draftsState(caller),
  muted_users: ({ caller }) => mutedUsersState(caller),
  user_topic: ({ caller }) => userTopicState(caller),
  // A client that asks for `user_topic` by name does not receive the older form as well.
  muted_topics: ({ caller, types }) => (types?.has("user_topic") ? {} : mutedTopicsState(caller)),
  realm_linkifiers: async (request) => ({
    realm_linkifiers: can(request, "linkifier_url_template")
      ? (await readLinkifiers()).linkifiers.map(toLinkifierWire)
      : [],
  }),
  update_display_settings: async (request) =>
    can(request, "user_settings_object") ? {} : legacyDisplaySettings(await findEffectiveSettings(request.caller.id)),
  update_global_notifications: async (request) =>
    can(request, "user_settings_object")
      ? {}
      : legacyNotificationSettings(await findEffectiveSettings(request.caller.id)),
  ...Object.fromEntries(Object.entries(absentFeatures).map(([type, fields]) => [type, () => fields])),
  scheduled_messages: async ({ caller }) => ({
    scheduled_messages: (await listScheduledMessages(caller.id))
      .sort((a, b) => a.deliverAt - b.deliverAt)
      .map(toScheduledMessageWire),
  }),
};

/** The snapshot of the wanted types, whose parts are read in parallel. */
async function initialState(request: StateRequest, users = once(listUsers)): Promise<State> {
  const shared: Shared = { users };
  const wanted = Object.entries(parts).filter(([type]) => request.types?.has(type) !== false);
  const states = await Promise.all(wanted.map(([, part]) => part(request, shared)));
  const state = Object.assign({}, ...states);
  if (can(request, "empty_topic_name")) return state;
  return stateWithNamedTopics(state, request.realm.settings.empty_topic_display_name);
}

/** Returns a function that reads at its first call, and returns that result at later calls. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}

interface RegistrationRequest extends Omit<StateRequest, "realm"> {
  /** The log's sequence number after which the events continue the state. */
  sequence: number;
}

/**
 * The state that a registration returns. Reads the organization as part of the snapshot, since an earlier read would miss
 * changes made before the queue started.
 */
export async function registrationState({ sequence, ...request }: RegistrationRequest): Promise<State> {
  if (request.types?.size === 0) return {};
  const realm = loadRealm();
  let people: Promise<People> | undefined;
  const listPeople = async () => {
    people ??= readPeople(
      sequence,
      realm.then(({ usersVersion }) => usersVersion),
    );
    return (await people).users;
  };
  const readsAhead = request.types ? [] : [...readAhead(request), listPeople()];
  const [state] = await Promise.all([
    realm.then((realm) => initialState({ ...request, realm }, listPeople)),
    ...readsAhead,
  ]);
  await (await people)?.updateCopy();
  return state;
}

/** Begins to read what most parts of a complete state need, in few calls and without waiting for the organization. */
const readAhead = (request: Omit<StateRequest, "realm">) => [
  readOwnItemsAhead(request.caller.id, request.newestMessage),
  readChannelsAhead(),
  listUserStatuses(),
  listGroups(),
  listEmoji(),
  listChannelFolders(),
  // Each of these is one item, and one call reads them all.
  alertWordsState(request.caller),
  defaultStreamGroupsState(request.caller),
  profileFieldsState(),
  realmDomainsState(),
  playgroundsState(),
  ...(can(request, "linkifier_url_template") ? [readLinkifiers()] : []),
];
