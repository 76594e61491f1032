import type { ReactionType } from "../messages/reactions.ts";
import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { type Update, update, type Write } from "../table/writes.ts";

/** A user's status. The item is kept when the status is cleared. */
export interface UserStatus {
  userId: number;
  /** Always the opposite of the setting `presence_enabled`. */
  away?: boolean;
  text?: string;
  emojiName?: string;
  emojiCode?: string;
  emojiType?: ReactionType;
}

/** All statuses share a partition: those of 10,000 users are one paged query. */
const key = (userId: number) => ({ pk: "STATUSES", sk: padded(userId) });

export const findUserStatus = (userId: number) => getItem<UserStatus>(key(userId));

/** All users' statuses; 1 read unit for about 50. */
export const listUserStatuses = () => queryItems<UserStatus>({ pk: "STATUSES" });

/** Changes parts of a status, or creates it; fails when one of the parts is no longer as it was before. */
export function changeUserStatus(userId: number, before: UserStatus | undefined, changed: Partial<UserStatus>): Write {
  const names = Object.keys(changed) as (keyof UserStatus)[];
  const equals = Object.fromEntries(names.map((name) => [name, before?.[name]]));
  return update(key(userId), { set: { userId, ...changed } }, { equals });
}

/** Creates the item when it is not there. */
export const updateUserStatus = (userId: number, { set = {}, remove = [] }: Pick<Update, "set" | "remove">): Write =>
  update(key(userId), { set: { userId, ...set }, remove });
