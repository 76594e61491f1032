import { nameKey } from "../../base/name-key.ts";
import type { BotType, Role } from "../../base/schema/roles.ts";
import type { EmailVisibility } from "../../base/schema/user-settings.ts";
import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { create, type Update, update, type Write } from "../table/writes.ts";

/** A user's value of a custom profile field; a list of user IDs in a field of type "users". */
export interface ProfileValue {
  value: string | number[];
  /** Only of text fields: the rendered value. */
  html?: string;
}

/** A user's profile. What authentication needs is in the account (`accounts.ts`). */
export interface User {
  id: number;
  /** The real (delivery) address. */
  email: string;
  fullName: string;
  role: Role;
  active: boolean;
  /** UNIX seconds. */
  joinedAt: number;
  timezone: string;
  /** Who sees the real address; absent: everyone. See `shared/services/identity/visibility.ts`. */
  emailVisibility?: EmailVisibility;
  /** Always the opposite of the setting `presence_enabled`; absent: false. */
  hidesPresence?: boolean;
  /** "G" gravatar, "U" uploaded. */
  avatarSource: "G" | "U";
  avatarVersion: number;
  /** Values of custom profile fields, by field ID. Values of deleted fields and choices stay, but are not shown. */
  profileValues?: Record<string, ProfileValue>;
  /** For optimistic concurrency: each change to `profileValues` increments it. */
  profileVersion?: number;
  avatarFile?: string;
  botType?: BotType;
  /** Only of a bot: its owner. */
  ownerId?: number;
  /** Whether the server itself sends messages as this bot, such as Notification Bot. */
  isSystemBot?: boolean;
  /** Only of a deactivated user who was or is being erased, and cannot be reactivated. */
  erased?: true;
  /** Only of a deactivated user: the channels to which reactivation subscribes them again. */
  suspendedChannelIds?: Set<number>;
}

/** All users share a partition, so that one paged query lists them. */
export const usersPartition = "USERS";
export const userKey = (id: number) => ({ pk: usersPartition, sk: padded(id) });

/** An index of users by full name, as names are compared. */
export const userNameKeys = (fullName: string, id: number) => ({
  gsi1pk: `FULLNAME#${nameKey(fullName)}`,
  gsi1sk: padded(id),
});

/**
 * Active users whose full names look like this one, in the order of their IDs; at most `limit`. A second query, where names may have
 * been stored by their lower case, as all were once, and nobody is found who has this one but for its case.
 */
export async function findUsersByName(fullName: string, limit: number): Promise<User[]> {
  const find = async (key: string) =>
    (await queryItems<User>({ index: "gsi1", pk: `FULLNAME#${key}`, limit })).filter(({ active }) => active);
  const lowerCase = fullName.toLowerCase();
  const key = nameKey(fullName);
  const alike = await find(key);
  if (key === lowerCase || alike.some((user) => user.fullName.toLowerCase() === lowerCase)) return alike;
  return [...alike, ...(await find(lowerCase))].sort((a, b) => a.id - b.id);
}

export const findUser = (id: number) => getItem<User>(userKey(id), corrected);

/** In the order of `ids`, undefined where there is none. 1 read unit each. */
export const findUsers = (ids: readonly number[]) => getItems<User>(ids.map(userKey));

export const listUsers = () => queryItems<User>({ pk: usersPartition, ...corrected });

/** The first `limit` users, for callers that only need to know whether there are more. */
export const listUsersUpTo = (limit: number) => queryItems<User>({ pk: usersPartition, limit, ...corrected });

export const createUser = (user: User): Write =>
  create({ ...userKey(user.id), ...userNameKeys(user.fullName, user.id), ...user });

/** Changes a user; fails when they do not exist or differ from `when`. */
export const updateUser = (id: number, change: Update, when: Partial<User> = {}): Write => {
  const { fullName } = change.set ?? {};
  const nameChange = typeof fullName === "string" ? { set: { ...change.set, ...userNameKeys(fullName, id) } } : {};
  return update(userKey(id), { ...change, ...nameChange }, { exists: true, equals: when });
};
