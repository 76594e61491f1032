import type { BotType, Role } from "../../schema/roles.ts";
import type { EmailVisibility } from "../../schema/user-settings.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { create, type Update, update, type Write } from "../table/writes.ts";

/** What a user has in a custom profile field: IDs of users in a field of those. */
export interface ProfileValue {
  value: string | number[];
  /** Of texts. */
  html?: string;
}

/** A user as others see them. */
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
  /** Who sees the real address; absent: everyone. See `shared/identity/visibility.ts`. */
  emailVisibility?: EmailVisibility;
  /** "G" gravatar, "U" uploaded. */
  avatarSource: "G" | "U";
  avatarVersion: number;
  /** Custom profile fields by ID. Those of a field that is gone, or a choice that is, are not shown. */
  profileValues?: Record<string, ProfileValue>;
  /** Grows with each change of them. */
  profileVersion?: number;
  /** The name of the picture that was uploaded. */
  avatarFile?: string;
  botType?: BotType;
  /** A bot's owner. */
  ownerId?: number;
  /** Notification bot, welcome bot and the like. */
  isSystemBot?: boolean;
  /** While deactivated: the channels to which the user was subscribed, and will be again. */
  suspendedChannelIds?: Set<number>;
}

/** All users share a partition: listing 10,000 is one paged query. */
const key = (id: number) => ({ pk: "USERS", sk: padded(id) });

/** Users are also found by their full name, ignoring case. */
const nameKeys = (fullName: string, id: number) => ({
  gsi1pk: `FULLNAME#${fullName.toLowerCase()}`,
  gsi1sk: padded(id),
});

/** Those who bear a name, ignoring case, by ID; at most `limit`. */
export const findUsersByName = (fullName: string, limit: number) =>
  queryItems<User>({ index: "gsi1", pk: `FULLNAME#${fullName.toLowerCase()}`, limit });

/** 0.5 read units. */
export const findUser = (id: number) => getItem<User>(key(id));

/** In the order of `ids`, undefined where there is none. Strongly consistent: 1 read unit each. */
export const findUsers = (ids: readonly number[]) => getItems<User>(ids.map(key), { consistent: true });

export const listUsers = () => queryItems<User>({ pk: "USERS" });

/** The first `limit` users: enough to know whether there are more. */
export const listUsersUpTo = (limit: number) => queryItems<User>({ pk: "USERS", limit });

export const createUser = (user: User): Write =>
  create({ ...key(user.id), ...nameKeys(user.fullName, user.id), ...user });

/** Changes a user who must exist, and be as `when` says. */
export const updateUser = (id: number, change: Update, when: Partial<User> = {}): Write => {
  const { fullName } = change.set ?? {};
  const renamed = typeof fullName === "string" ? { set: { ...change.set, ...nameKeys(fullName, id) } } : {};
  return update(key(id), { ...change, ...renamed }, { exists: true, equals: when });
};
