import { eventForEveryone, eventForUser, type LoggedEvent } from "../../store/log/entry.ts";
import { type Change, commit } from "../../store/log/log.ts";
import type { Emoji } from "../../store/messages/reactions.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { updateUserSettings } from "../../store/users/user-settings.ts";
import { changeUserStatus, findUserStatus } from "../../store/users/user-status.ts";
import { updateUser } from "../../store/users/users.ts";
import type { UserSettingsEvent } from "./event-types.ts";
import type { StatusObject } from "./status.ts";

/** The changed parts of a status; an empty text or emoji name clears it. */
export interface StatusChange {
  away?: boolean | undefined;
  text?: string | undefined;
  emoji?: Emoji | undefined;
}

/** Changes a status, as one of several steps of a request. */
export const changeStatus = (userId: number, change: StatusChange): Promise<void> =>
  retryOnConflict(async () => commit(await statusChange(userId, change)));

/** Changes a status, and with `away` also the presence setting that it replaces, and sends the changed parts to everyone. */
export async function statusChange(userId: number, { away, text, emoji }: StatusChange): Promise<Change> {
  const isPresenceEnabled = away === undefined ? undefined : !away;
  const changed = {
    ...(away !== undefined && { away }),
    ...(text !== undefined && { text }),
    ...(emoji && { emojiName: emoji.name, emojiCode: emoji.code, emojiType: emoji.type }),
  };
  const events: LoggedEvent[] = [
    statusEvent(userId, {
      ...(away !== undefined && { away }),
      ...(text !== undefined && { status_text: text }),
      ...(emoji && { emoji_name: emoji.name, emoji_code: emoji.code, reaction_type: emoji.type }),
    }),
    ...(isPresenceEnabled === undefined ? [] : [settingEvent(userId, "presence_enabled", isPresenceEnabled)]),
  ];
  const otherWrites =
    isPresenceEnabled === undefined
      ? []
      : [
          updateUserSettings(userId, { set: { presence_enabled: isPresenceEnabled } }),
          updateUser(userId, { set: { hidesPresence: away } }),
          bumpUsersVersion(),
        ];
  // Everyone receives the events, in the order of simultaneous changes, because each replaces the status that it has read.
  return { writes: [changeUserStatus(userId, await findUserStatus(userId), changed), ...otherWrites], events };
}

export const statusEvent = (userId: number, parts: StatusObject): LoggedEvent =>
  eventForEveryone({ type: "user_status", user_id: userId, ...parts });

export const settingEvent = (userId: number, property: UserSettingsEvent["property"], value: unknown): LoggedEvent =>
  eventForUser(userId, toSettingEvent(property, value as UserSettingsEvent["value"]));

export const toSettingEvent = (
  property: UserSettingsEvent["property"],
  value: UserSettingsEvent["value"],
): UserSettingsEvent => ({
  type: "user_settings",
  op: "update",
  property,
  value,
  ...(property === "default_language" && { language_name: nameOfLanguage(String(value)) }),
});

/** The name of a language in that language itself. */
function nameOfLanguage(code: string): string {
  const tag = code.replaceAll("_", "-");
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? code;
}
