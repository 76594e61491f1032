import type { UserSettings } from "../../base/schema/user-settings.ts";
import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryIds } from "../table/reads.ts";
import { update, type Write } from "../table/writes.ts";

/** A user's settings that differ from the defaults. Each is an attribute, so that changes to two of them never conflict. */
export type ChangedSettings = Partial<UserSettings>;

const key = (userId: number) => ({ pk: `USER#${userId}`, sk: "SETTINGS" });

export const findUserSettings = (userId: number) => getItem<ChangedSettings>(key(userId), corrected);

/** In the order of `ids`, undefined for users who have changed nothing. 0.5 read units each. */
export const findSettingsOfUsers = (ids: readonly number[]) => getItems<ChangedSettings>(ids.map(key), corrected);

export const receivesTyping = (changed: ChangedSettings | undefined): boolean =>
  changed?.receives_typing_notifications !== false;

/** A sparse index of the few users who want email for every channel message. */
const emailIndexKeys = (userId: number) => ({ gsi3pk: "MAILEDALL", gsi3sk: `USER#${padded(userId)}` });

/** IDs of users who want e-mail for every message in their channels; 0.5 read units for about 80. */
export const listEmailUserIds = () => queryIds({ index: "gsi3", pk: "MAILEDALL" });

/** Creates the item if it does not exist. */
export function updateUserSettings(userId: number, { set }: { set: ChangedSettings }): Write {
  const wantsEmail = set.enable_stream_email_notifications;
  return update(key(userId), {
    set: { ...set, ...(wantsEmail && emailIndexKeys(userId)) },
    ...(wantsEmail === false && { remove: ["gsi3pk", "gsi3sk"] }),
  });
}
