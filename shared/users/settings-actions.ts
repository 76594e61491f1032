import { commit, type LoggedEvent } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { updateUserSettings } from "../store/user-settings.ts";
import { updateUserStatus } from "../store/user-status.ts";
import { type User, updateUser } from "../store/users.ts";
import type { UserSettings } from "./settings.ts";
import { settingEvent, statusEvent } from "./status-actions.ts";
import { consentUpdate, userUpdate, visibilityUpdates } from "./tell.ts";
import { type EmailVisibility, shownEmail } from "./visibility.ts";

/**
 * Changes a user's settings in one transaction, with an event for each to the user, and what of them others see:
 * the time zone, the address and whether they are away.
 */
export async function changeSettings(user: User, changed: Partial<UserSettings>): Promise<void> {
  const { timezone, email_address_visibility, presence_enabled, allow_private_data_export } = changed;
  const visibility = email_address_visibility as EmailVisibility | undefined;
  const seen = {
    ...(timezone !== undefined && { timezone }),
    ...(visibility !== undefined && { emailVisibility: visibility }),
  };
  const events: LoggedEvent[] = [
    ...Object.entries(changed).map(([property, value]) =>
      settingEvent(user.id, property, value, property === "default_language" ? languageName(String(value)) : {}),
    ),
    ...(timezone === undefined ? [] : [userUpdate(user.id, { timezone, email: shownEmail(user) })]),
    ...(visibility === undefined ? [] : emailEvents(user, visibility)),
    ...(presence_enabled === undefined ? [] : [statusEvent(user.id, { away: !presence_enabled })]),
    ...(allow_private_data_export === undefined ? [] : [consentUpdate(user.id, allow_private_data_export)]),
  ];
  await commit({ events: events.length }, () => ({
    writes: [
      updateUserSettings(user.id, { set: changed }),
      ...(Object.keys(seen).length > 0 ? [updateUser(user.id, { set: seen }), touchProfiles()] : []),
      ...(presence_enabled === undefined ? [] : [updateUserStatus(user.id, { set: { away: !presence_enabled } })]),
    ],
    events,
    result: undefined,
  }));
}

const emailEvents = (user: User, after: EmailVisibility) =>
  visibilityUpdates(user, user.emailVisibility ?? 1, after, shownEmail({ ...user, emailVisibility: after }));

/** A language's name in itself, as clients show it. */
const languageName = (code: string) => {
  const tag = code.replace("_", "-");
  return { language_name: new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? code };
};
