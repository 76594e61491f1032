import {
  bool,
  int,
  mapOf,
  nullable,
  oneOfInts,
  optional,
  strictObject,
  string,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { roleNumbers, roles } from "../../base/schema/roles.ts";
import { maySeeEmail, placeholderEmail, type Viewer, visibleEmail } from "../../services/identity/visibility.ts";
import type { User } from "../../store/users/users.ts";
import { avatarUrl } from "./avatars.ts";

/** A user's value of a custom profile field. */
const profileValue = strictObject({
  value: text(),
  rendered_value: optional(text()),
});

export const userFields = {
  user_id: int(),
  email: string(),
  delivery_email: nullable(string()),
  full_name: string(),
  date_joined: string(),
  is_active: bool(),
  is_owner: bool(),
  is_admin: bool(),
  is_guest: bool(),
  is_bot: bool(),
  bot_type: optional(int()),
  bot_owner_id: optional(nullable(int())),
  role: oneOfInts(roleNumbers),
  timezone: string(),
  avatar_url: nullable(string()),
  avatar_version: int(),
  profile_data: optional(mapOf(profileValue)),
  /** Whether the user shares presence. */
  presence_enabled: bool(),
};

/** The user object; see https://zulip.com/api/get-users. */
export const userObject = strictObject(userFields);
export type UserObject = Value<typeof userObject>;

/** Converts a user for `viewer`, or with public fields only. */
export const toUserWire = (user: User, clientGravatar = false, viewer?: Viewer): UserObject => ({
  user_id: user.id,
  email: visibleEmail(user),
  delivery_email: maySeeEmail(viewer, user) ? user.email : null,
  full_name: user.fullName,
  date_joined: `${new Date(user.joinedAt * 1000).toISOString().slice(0, 16)}+00:00`,
  is_active: user.active,
  is_owner: user.role === roles.owner,
  is_admin: user.role <= roles.administrator,
  is_guest: user.role === roles.guest,
  is_bot: user.botType !== undefined,
  ...(user.botType !== undefined && { bot_type: user.botType, bot_owner_id: user.ownerId ?? null }),
  role: user.role,
  timezone: user.timezone,
  avatar_url: avatarUrl(user, clientGravatar, viewer),
  avatar_version: user.avatarVersion,
  presence_enabled: !user.hidesPresence,
});

/** Converts a user for spectators, who never see addresses. */
export const toSpectatorUserWire = (user: User): UserObject => ({
  ...toUserWire(user),
  email: placeholderEmail(user.id),
  delivery_email: null,
});
