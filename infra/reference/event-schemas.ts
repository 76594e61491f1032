import type { ClientEvents, EventsSentAsLogged, LogEvents } from "../../shared/base/schema/event-types.ts";
import type { Param } from "../../shared/base/schema/params.ts";
import {
  defaultStreamsEvent,
  loggedStreamEvents,
  loggedSubscriptionEvents,
  roleChangeEvent,
  streamEvents,
  subscriptionEvents,
} from "../../shared/core/channels/event-types.ts";
import { defaultStreamGroupsEvent } from "../../shared/core/default-streams/event-types.ts";
import { realmEmojiEvent } from "../../shared/core/emoji/event-types.ts";
import { realmLinkifiersEvent } from "../../shared/core/linkifiers/event-types.ts";
import {
  loggedRealmEvents,
  realmEvents,
  restartEvent,
  webReloadEvent,
} from "../../shared/core/organization/event-types.ts";
import { realmPlaygroundsEvent } from "../../shared/core/playgrounds/event-types.ts";
import { loggedPresence, presenceEvents } from "../../shared/core/presence/event-types.ts";
import { profileFieldsEvent } from "../../shared/core/profile-fields/event-types.ts";
import { realmDomainEvents } from "../../shared/core/realm-domains/event-types.ts";
import { loggedGroupEvents, userGroupEvents } from "../../shared/core/user-groups/event-types.ts";
import { mutedTopicsEvent, userTopicEvent } from "../../shared/core/user-topics/event-types.ts";
import {
  exportConsentEvent,
  loggedUserEvents,
  realmUserEvents,
  settingsListingUserEvent,
  userDefaultsEvents,
  userSettingsEvents,
  userStatusEvent,
} from "../../shared/core/users/event-types.ts";
import { alertWordsEvent } from "../../shared/features/alert-words/event-types.ts";
import { loggedBotEvents, realmBotEvents } from "../../shared/features/bots/event-types.ts";
import { channelFolderEvents } from "../../shared/features/channel-folders/event-types.ts";
import { draftEvents } from "../../shared/features/drafts/event-types.ts";
import { displaySettingEvent, heartbeat, notificationSettingEvent } from "../../shared/features/events/event-types.ts";
import { realmExportEvent } from "../../shared/features/exports/event-types.ts";
import { invitesChangedEvent } from "../../shared/features/invites/event-types.ts";
import { mutedUsersEvent } from "../../shared/features/muted-users/event-types.ts";
import { navigationViewEvents } from "../../shared/features/navigation-views/event-types.ts";
import { onboardingStepsEvent } from "../../shared/features/onboarding/event-types.ts";
import { savedSnippetEvents } from "../../shared/features/saved-snippets/event-types.ts";
import {
  deleteMessageEvents,
  loggedDeletion,
  messageEvent,
  reactionEvent,
  submessageEvent,
  updateMessageEvent,
} from "../../shared/messaging/messages/event-types.ts";
import { messageFlagsEvent } from "../../shared/messaging/messages/flags/event-types.ts";
import { loggedMessage } from "../../shared/messaging/messages/send/event-types.ts";
import { pushDeviceEvent } from "../../shared/messaging/mobile-push/event-types.ts";
import { reminderEvents } from "../../shared/messaging/reminders/event-types.ts";
import { scheduledMessageEvents } from "../../shared/messaging/scheduled-messages/event-types.ts";
import { typingEditEvent, typingEvents } from "../../shared/messaging/typing/event-types.ts";
import { attachmentEvents } from "../../shared/messaging/uploads/event-types.ts";

import { noopEvent } from "../../shared/store/log/event-types.ts";

/** The schemas of all events, for the documentation and for tests. */

/** The schemas of each type; none may be missing. */
type SchemasOf<Events> = { [T in keyof Events]: readonly Param<Events[T], unknown>[] };

/** Events that clients receive exactly as they are logged. */
const sentAsLogged: SchemasOf<EventsSentAsLogged> = {
  alert_words: [alertWordsEvent],
  attachment: attachmentEvents,
  channel_folder: channelFolderEvents,
  custom_profile_fields: [profileFieldsEvent],
  default_streams: [defaultStreamsEvent],
  default_stream_groups: [defaultStreamGroupsEvent],
  drafts: draftEvents,
  invites_changed: [invitesChangedEvent],
  update_message_flags: [messageFlagsEvent],
  muted_topics: [mutedTopicsEvent],
  muted_users: [mutedUsersEvent],
  navigation_view: navigationViewEvents,
  onboarding_steps: [onboardingStepsEvent],
  push_device: [pushDeviceEvent],
  reaction: [reactionEvent],
  restart: [restartEvent],
  web_reload_client: [webReloadEvent],
  realm_emoji: [realmEmojiEvent],
  realm_export: [realmExportEvent],
  realm_export_consent: [exportConsentEvent],
  realm_linkifiers: [realmLinkifiersEvent],
  realm_domains: realmDomainEvents,
  realm_playgrounds: [realmPlaygroundsEvent],
  reminders: reminderEvents,
  saved_snippets: savedSnippetEvents,
  scheduled_messages: scheduledMessageEvents,
  submessage: [submessageEvent],
  typing: typingEvents,
  typing_edit_message: [typingEditEvent],
  update_message: [updateMessageEvent],
  realm_user_settings_defaults: userDefaultsEvents,
  user_settings: userSettingsEvents,
  user_status: [userStatusEvent],
  user_topic: [userTopicEvent],
};

const received: SchemasOf<ClientEvents> = {
  ...sentAsLogged,
  delete_message: deleteMessageEvents,
  heartbeat: [heartbeat],
  update_display_settings: [displaySettingEvent],
  update_global_notifications: [notificationSettingEvent],
  message: [messageEvent],
  presence: presenceEvents,
  realm_bot: realmBotEvents,
  realm: realmEvents,
  realm_user: realmUserEvents,
  stream: streamEvents,
  subscription: subscriptionEvents,
  user_group: userGroupEvents,
};

const logged: SchemasOf<LogEvents> = {
  ...sentAsLogged,
  delete_message: [loggedDeletion],
  message: [loggedMessage],
  presence: [loggedPresence],
  realm_bot: loggedBotEvents,
  realm: loggedRealmEvents,
  realm_user: loggedUserEvents,
  stream: loggedStreamEvents,
  subscription: loggedSubscriptionEvents,
  user_group: loggedGroupEvents,
  role_change: [roleChangeEvent],
  settings_naming: [settingsListingUserEvent],
  silence: [noopEvent],
};

/** All events that clients receive, without the event's ID. */
export const clientEvents: readonly Param[] = Object.values(received).flat();

/** All events that can appear in the log. */
export const logEvents: readonly Param[] = Object.values(logged).flat();
