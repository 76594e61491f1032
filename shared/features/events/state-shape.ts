import {
  bool,
  int,
  list,
  mapOf,
  nullable,
  number,
  oneOfInts,
  partial,
  type Shape,
  strictObject,
  text,
  union,
  type Values,
} from "../../base/schema/params.ts";
import { userSettingShape } from "../../base/schema/user-settings.ts";
import { channelObject, neverSubscribedObject, subscriptionObject } from "../../core/channels/wire.ts";
import { defaultStreamGroupObject } from "../../core/default-streams/groups.ts";
import { emojiObject } from "../../core/emoji/wire.ts";
import { linkifierObject } from "../../core/linkifiers/linkifiers.ts";
import { playgroundObject } from "../../core/playgrounds/playgrounds.ts";
import { presencesObject } from "../../core/presence/wire.ts";
import { profileFieldObject } from "../../core/profile-fields/wire.ts";
import { realmDomainObject } from "../../core/realm-domains/realm-domains.ts";
import { groupObject } from "../../core/user-groups/wire.ts";
import { statusObject } from "../../core/users/status.ts";
import { userFields } from "../../core/users/wire.ts";
import { pushDevicesShape } from "../../messaging/mobile-push/state.ts";
import { reminderObject } from "../../messaging/reminders/reminders.ts";
import { scheduledMessageObject } from "../../messaging/scheduled-messages/wire.ts";
import { visibilityPolicies } from "../../store/channels/user-topics.ts";
import { botObject } from "../bots/wire.ts";
import { folderObject } from "../channel-folders/channel-folders.ts";
import { draftObject } from "../drafts/drafts.ts";
import { navigationViewObject } from "../navigation-views/navigation-views.ts";
import { onboardingStepObject } from "../onboarding/onboarding.ts";
import { savedSnippetObject } from "../saved-snippets/saved-snippets.ts";
import { legacySettingsShape } from "./legacy-settings.ts";
import { absentShape, realmShape } from "./realm-shape.ts";

const ids = list(int());

/** The fields of `/register` about messages (https://zulip.com/api/register-queue). */
const messageStateFields = {
  max_message_id: int(),
  starred_messages: ids,
  recent_private_conversations: list(strictObject({ max_message_id: int(), user_ids: ids })),
  unread_msgs: strictObject({
    count: int(),
    pms: list(strictObject({ other_user_id: int(), sender_id: int(), unread_message_ids: ids })),
    streams: list(strictObject({ stream_id: int(), topic: text(), unread_message_ids: ids })),
    huddles: list(strictObject({ user_ids_string: text(), unread_message_ids: ids })),
    mentions: ids,
    old_unreads_missing: bool(),
  }),
} satisfies Shape;

const { is_active: _, ...listedUserFields } = userFields;
const listedUser = strictObject(listedUserFields);
const systemBot = strictObject({ ...listedUserFields, is_system_bot: bool() });

const settingChoices = {
  available_notification_sounds: list(text()),
  emojiset_choices: list(strictObject({ key: text(), text: text() })),
};
const { timezone, ...defaultableSettings } = userSettingShape;

/** The fields of `/register` that depend on the requested event types (https://zulip.com/api/register-queue). */
const fields = {
  subscriptions: list(subscriptionObject),
  unsubscribed: list(subscriptionObject),
  never_subscribed: list(neverSubscribedObject),
  streams: list(channelObject),
  realm_default_streams: list(int()),
  realm_default_stream_groups: list(defaultStreamGroupObject),
  channel_folders: list(folderObject),
  realm_user_groups: list(groupObject),
  custom_profile_fields: list(profileFieldObject),
  custom_profile_field_types: mapOf(strictObject({ id: int(), name: text() })),
  onboarding_steps: list(onboardingStepObject),
  navigation_views: list(navigationViewObject),
  realm_playgrounds: list(playgroundObject),
  realm_domains: list(realmDomainObject),
  push_devices: pushDevicesShape,
  saved_snippets: list(savedSnippetObject),
  scheduled_messages: list(scheduledMessageObject),
  realm_users: list(listedUser),
  realm_non_active_users: list(listedUser),
  cross_realm_bots: list(systemBot),
  user_id: int(),
  email: text(),
  delivery_email: nullable(text()),
  full_name: text(),
  avatar_url: text(),
  avatar_url_medium: text(),
  avatar_source: text(),
  is_admin: bool(),
  is_owner: bool(),
  is_moderator: bool(),
  is_guest: bool(),
  can_create_streams: bool(),
  can_create_public_streams: bool(),
  can_create_private_streams: bool(),
  can_create_web_public_streams: bool(),
  can_subscribe_other_users: bool(),
  can_invite_others_to_realm: bool(),
  realm_bots: list(botObject),
  alert_words: list(text()),
  drafts: list(draftObject),
  reminders: list(reminderObject),
  muted_users: list(strictObject({ id: int(), timestamp: int() })),
  user_topics: list(
    strictObject({
      stream_id: int(),
      topic_name: text(),
      last_updated: int(),
      visibility_policy: oneOfInts(Object.values(visibilityPolicies)),
    }),
  ),
  muted_topics: list(list(union([text(), int()], "a text or an integer"))),
  realm_linkifiers: list(linkifierObject),
  realm_emoji: mapOf(emojiObject),
  presences: presencesObject,
  presence_last_update_id: int(),
  server_timestamp: number(),
  user_status: mapOf(statusObject),
  user_settings: strictObject({ timezone, ...defaultableSettings, ...settingChoices }),
  realm_user_settings_defaults: strictObject({ ...defaultableSettings, ...settingChoices }),
  ...messageStateFields,
  ...realmShape,
  ...absentShape,
  ...legacySettingsShape,
  emojiset_choices: settingChoices.emojiset_choices,
} satisfies Shape;

export const stateShape = partial(fields);

export type State = Values<typeof stateShape>;
