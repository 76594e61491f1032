import type { UserSettings } from "../../schema/user-settings.ts";
import { idOf, padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { update, type Write } from "../table/writes.ts";

/** What of a user's settings differs from the defaults, each as an attribute, so that changes of two never collide. */
export type ChangedSettings = Partial<UserSettings>;

const key = (userId: number) => ({ pk: `USER#${userId}`, sk: "SETTINGS" });

/** 0.5 read units. */
export const findUserSettings = (userId: number) => getItem<ChangedSettings>(key(userId));

/** In the order of `ids`, undefined where nobody has changed anything. 0.5 read units each. */
export const findSettingsOfUsers = (ids: readonly number[]) => getItems<ChangedSettings>(ids.map(key));

/** Who wants mail of all channels' messages is listed: they are few. */
const mailed = (userId: number) => ({ gsi3pk: "MAILEDALL", gsi3sk: `USER#${padded(userId)}` });

/** IDs of those who want mail of all messages in their channels; 0.5 read units for about 80. */
export const listMailedUserIds = async (): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: "MAILEDALL" })).map(({ gsi3sk }) => idOf(gsi3sk));

/** Creates the item when it is not there. */
export function updateUserSettings(userId: number, { set }: { set: ChangedSettings }): Write {
  const wanted = set.enable_stream_email_notifications;
  return update(key(userId), {
    set: { ...set, ...(wanted && mailed(userId)) },
    ...(wanted === false && { remove: ["gsi3pk", "gsi3sk"] }),
  });
}
