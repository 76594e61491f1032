import { alertWordsEvent } from "../../shared/alert-words/event-types.ts";
import { loggedBotEvents, realmBotEvents } from "../../shared/bots/event-types.ts";
import { channelFolderEvents } from "../../shared/channel-folders/event-types.ts";
import {
  defaultStreamsEvent,
  loggedStreamEvents,
  loggedSubscriptionEvents,
  roleChangeEvent,
  streamEvents,
  subscriptionEvents,
} from "../../shared/channels/event-types.ts";
import { defaultStreamGroupsEvent } from "../../shared/default-streams/event-types.ts";
import { draftEvents } from "../../shared/drafts/event-types.ts";
import { realmEmojiEvent } from "../../shared/emoji/event-types.ts";
import { heartbeat, legacySettingEvents, noopEvent } from "../../shared/events/event-types.ts";
import { realmExportEvent } from "../../shared/exports/event-types.ts";
import { invitesChangedEvent } from "../../shared/invites/event-types.ts";
import { realmLinkifiersEvent } from "../../shared/linkifiers/event-types.ts";
import {
  deleteMessageEvents,
  loggedDeletion,
  messageEvent,
  reactionEvent,
  submessageEvent,
  updateMessageEvent,
} from "../../shared/messages/event-types.ts";
import { messageFlagsEvent } from "../../shared/messages/flags/event-types.ts";
import { loggedMessage } from "../../shared/messages/send/event-types.ts";
import { pushDeviceEvent } from "../../shared/mobile-push/event-types.ts";
import { mutedUsersEvent } from "../../shared/muted-users/event-types.ts";
import { navigationViewEvents } from "../../shared/navigation-views/event-types.ts";
import { onboardingStepsEvent } from "../../shared/onboarding/event-types.ts";
import { loggedRealmEvents, realmEvents, restartEvents } from "../../shared/organization/manage/event-types.ts";
import { realmPlaygroundsEvent } from "../../shared/playgrounds/event-types.ts";
import { loggedPresence, presenceEvents } from "../../shared/presence/event-types.ts";
import { profileFieldsEvent } from "../../shared/profile-fields/event-types.ts";
import { realmDomainEvents } from "../../shared/realm-domains/event-types.ts";
import { reminderEvents } from "../../shared/reminders/event-types.ts";
import { savedSnippetEvents } from "../../shared/saved-snippets/event-types.ts";
import { scheduledMessageEvents } from "../../shared/scheduled-messages/event-types.ts";
import type { Value } from "../../shared/schema/params.ts";
import { typingEditEvent, typingEvents } from "../../shared/typing/event-types.ts";
import { attachmentEvents } from "../../shared/uploads/event-types.ts";
import { loggedGroupEvents, userGroupEvents } from "../../shared/user-groups/event-types.ts";
import { mutedTopicsEvent, userTopicEvent } from "../../shared/user-topics/event-types.ts";
import {
  exportConsentEvent,
  loggedUserEvents,
  realmUserEvents,
  settingsListingUserEvent,
  userDefaultsEvents,
  userSettingsEvents,
  userStatusEvent,
} from "../../shared/users/event-types.ts";

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

declare module "../../shared/schema/event-types.ts" {
  interface EventTypes {
    logged: Value<(typeof logEvents)[number]>;
    received: Value<(typeof clientEvents)[number]>;
  }
}
