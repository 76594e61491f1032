import { commit, type LoggedEvent } from "../store/log.ts";
import type { Emoji } from "../store/reactions.ts";
import { updateUserSettings } from "../store/user-settings.ts";
import { updateUserStatus } from "../store/user-status.ts";

/** The parts of a status that change; an empty text or emoji name clears. */
export interface StatusChange {
  away?: boolean | undefined;
  text?: string | undefined;
  emoji?: Emoji | undefined;
}

/** Changes a status, and with `away` the setting that it stands for, and tells everyone the parts that were set. */
export async function changeStatus(userId: number, { away, text, emoji }: StatusChange): Promise<void> {
  const presence = away === undefined ? undefined : !away;
  const events: LoggedEvent[] = [
    statusEvent(userId, {
      ...(away !== undefined && { away }),
      ...(text !== undefined && { status_text: text }),
      ...(emoji && { emoji_name: emoji.name, emoji_code: emoji.code, reaction_type: emoji.type }),
    }),
    ...(presence === undefined ? [] : [settingEvent(userId, "presence_enabled", presence)]),
  ];
  await commit({ events: events.length }, () => ({
    writes: [
      updateUserStatus(userId, {
        set: { away, text, ...(emoji && { emojiName: emoji.name, emojiCode: emoji.code, emojiType: emoji.type }) },
      }),
      ...(presence === undefined ? [] : [updateUserSettings(userId, { set: { presence_enabled: presence } })]),
    ],
    events,
    result: undefined,
  }));
}

export const statusEvent = (userId: number, parts: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "everyone" },
  event: { type: "user_status", user_id: userId, ...parts },
});

export const settingEvent = (
  userId: number,
  property: string,
  value: unknown,
  more: Record<string, unknown> = {},
): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "user_settings", op: "update", property, value, ...more },
});
