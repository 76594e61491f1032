import {
  type EmailVisibility,
  emailVisibilities,
  type UserSettings,
  userSettingNames,
} from "../../base/schema/user-settings.ts";
import { settingEvent, statusEvent } from "../../core/users/status-actions.ts";
import { consentEvent, emailVisibilityEvents, userUpdateEvent } from "../../core/users/user-events.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { updateUserSettings } from "../../store/users/user-settings.ts";
import { updateUserStatus } from "../../store/users/user-status.ts";
import { type User, updateUser } from "../../store/users/users.ts";

/** The settings of mails about missed messages. */
const missedMailSettings = [
  "enable_offline_email_notifications",
  "enable_stream_email_notifications",
  "enable_followed_topic_email_notifications",
] as const;

/** The settings of all mails that come without having been asked for. */
export const mailSettings = [...missedMailSettings, "enable_login_emails"] as const;

/** Ends the mails about missed messages, as the settings of notifications would. Idempotent. */
export const endMissedMails = (user: User): Promise<void> =>
  changeSettings(user, Object.fromEntries(missedMailSettings.map((name) => [name, false])));

/**
 * Changes a user's settings in one transaction, with an event for each. Other users receive those that they can see:
 * the time zone, the visibility of the email address, and whether the user appears offline. Administrators also receive the
 * consent to exports of private data.
 */
export async function changeSettings(user: User, changes: Partial<UserSettings>): Promise<void> {
  const { timezone, email_address_visibility, presence_enabled, allow_private_data_export } = changes;
  const visibility = email_address_visibility as EmailVisibility | undefined;
  const publicFields = {
    ...(timezone !== undefined && { timezone }),
    ...(visibility !== undefined && { emailVisibility: visibility }),
    ...(presence_enabled !== undefined && { hidesPresence: !presence_enabled }),
  };
  const events: LoggedEvent[] = [
    ...userSettingNames.flatMap((property) => {
      const value = changes[property];
      if (value === undefined) return [];
      return [settingEvent(user.id, property, value)];
    }),
    ...(timezone === undefined ? [] : [userUpdateEvent(user.id, { timezone, email: visibleEmail(user) })]),
    ...(visibility === undefined ? [] : emailEvents(user, visibility)),
    ...(presence_enabled === undefined ? [] : [statusEvent(user.id, { away: !presence_enabled })]),
    ...(allow_private_data_export === undefined ? [] : [consentEvent(user.id, allow_private_data_export)]),
  ];
  await commit({
    writes: [
      updateUserSettings(user.id, { set: changes }),
      ...(Object.keys(publicFields).length > 0 ? [updateUser(user.id, { set: publicFields }), bumpUsersVersion()] : []),
      ...(presence_enabled === undefined ? [] : [updateUserStatus(user.id, { set: { away: !presence_enabled } })]),
    ],
    events,
  });
}

const emailEvents = (user: User, after: EmailVisibility) =>
  emailVisibilityEvents(
    user,
    user.emailVisibility ?? emailVisibilities.everyone,
    after,
    visibleEmail({ ...user, emailVisibility: after }),
  );
