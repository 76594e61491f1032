import type { UserSettings } from "../users/settings.ts";
import { getItem, getItems } from "./table.ts";
import { type Update, update, type Write } from "./writes.ts";

/** What of a user's settings differs from the defaults, each as an attribute, so that changes of two never collide. */
export type ChangedSettings = Partial<UserSettings>;

const key = (userId: number) => ({ pk: `USER#${userId}`, sk: "SETTINGS" });

/** 0.5 read units. */
export const findUserSettings = (userId: number) => getItem<ChangedSettings>(key(userId));

/** In the order of `ids`, undefined where nobody has changed anything. 0.5 read units each. */
export const findSettingsOfUsers = (ids: readonly number[]) => getItems<ChangedSettings>(ids.map(key));

/** Creates the item when it is not there. */
export const updateUserSettings = (userId: number, change: Update): Write => update(key(userId), change);
