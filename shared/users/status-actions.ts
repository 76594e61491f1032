import { eventForEveryone, eventForUser, type LoggedEvent } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import type { Emoji } from "../store/messages/reactions.ts";
import { bumpUsersVersion } from "../store/organization/organization.ts";
import { updateUserSettings } from "../store/users/user-settings.ts";
import { updateUserStatus } from "../store/users/user-status.ts";
import { updateUser } from "../store/users/users.ts";
import type { UserSettingsEvent } from "./event-types.ts";
import type { StatusObject } from "./status.ts";

/** The changed parts of a status; an empty text or emoji name clears it. */
export interface StatusChange {
  away?: boolean | undefined;
  text?: string | undefined;
  emoji?: Emoji | undefined;
}

/** Changes a status, and with `away` also the presence setting that it replaces, and sends the changed parts to everyone. */
export async function changeStatus(userId: number, { away, text, emoji }: StatusChange): Promise<void> {
  const isPresenceEnabled = away === undefined ? undefined : !away;
  const events: LoggedEvent[] = [
    statusEvent(userId, {
      ...(away !== undefined && { away }),
      ...(text !== undefined && { status_text: text }),
      ...(emoji && { emoji_name: emoji.name, emoji_code: emoji.code, reaction_type: emoji.type }),
    }),
    ...(isPresenceEnabled === undefined
      ? []
      : [settingEvent(userId, { property: "presence_enabled", value: isPresenceEnabled })]),
  ];
  await commit({
    writes: [
      updateUserStatus(userId, {
        set: { away, text, ...(emoji && { emojiName: emoji.name, emojiCode: emoji.code, emojiType: emoji.type }) },
      }),
      ...(isPresenceEnabled === undefined
        ? []
        : [
            updateUserSettings(userId, { set: { presence_enabled: isPresenceEnabled } }),
            updateUser(userId, { set: { hidesPresence: away } }),
            bumpUsersVersion(),
          ]),
    ],
    events,
  });
}

export const statusEvent = (userId: number, parts: StatusObject): LoggedEvent =>
  eventForEveryone({ type: "user_status", user_id: userId, ...parts });

export const settingEvent = (
  userId: number,
  change: Pick<UserSettingsEvent, "property" | "value" | "language_name">,
): LoggedEvent => eventForUser(userId, { type: "user_settings", op: "update", ...change });
