import type { Value } from "../../shared/base/schema/params.ts";
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
import { loggedRealmEvents, realmEvents, restartEvents } from "../../shared/core/organization/event-types.ts";
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
import { heartbeat, legacySettingEvents, noopEvent } from "../../shared/features/events/event-types.ts";
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

/** The schemas of all events, for the documentation and for tests. The types of all events are derived from them. */

/** Events that clients receive exactly as they are logged. */
const eventsSentAsLogged = [
  alertWordsEvent,
  ...attachmentEvents,
  ...channelFolderEvents,
  profileFieldsEvent,
  defaultStreamsEvent,
  defaultStreamGroupsEvent,
  ...draftEvents,
  invitesChangedEvent,
  messageFlagsEvent,
  mutedTopicsEvent,
  mutedUsersEvent,
  ...navigationViewEvents,
  onboardingStepsEvent,
  pushDeviceEvent,
  reactionEvent,
  ...restartEvents,
  realmEmojiEvent,
  realmExportEvent,
  exportConsentEvent,
  realmLinkifiersEvent,
  ...realmDomainEvents,
  realmPlaygroundsEvent,
  ...reminderEvents,
  ...savedSnippetEvents,
  ...scheduledMessageEvents,
  submessageEvent,
  ...typingEvents,
  typingEditEvent,
  updateMessageEvent,
  ...userDefaultsEvents,
  ...userSettingsEvents,
  userStatusEvent,
  userTopicEvent,
];

/** All events that clients receive, without the event's ID. */
export const clientEvents = [
  ...eventsSentAsLogged,
  ...deleteMessageEvents,
  heartbeat,
  ...legacySettingEvents,
  messageEvent,
  ...presenceEvents,
  ...realmBotEvents,
  ...realmEvents,
  ...realmUserEvents,
  ...streamEvents,
  ...subscriptionEvents,
  ...userGroupEvents,
];

/** All events that can appear in the log. */
export const logEvents = [
  ...eventsSentAsLogged,
  loggedDeletion,
  loggedMessage,
  loggedPresence,
  ...loggedBotEvents,
  ...loggedRealmEvents,
  ...loggedUserEvents,
  ...loggedStreamEvents,
  ...loggedSubscriptionEvents,
  ...loggedGroupEvents,
  roleChangeEvent,
  settingsListingUserEvent,
  noopEvent,
];

declare module "../../shared/base/schema/event-types.ts" {
  interface EventTypes {
    logged: Value<(typeof logEvents)[number]>;
    received: Value<(typeof clientEvents)[number]>;
  }
}
