import { anything, bool, exactly, int, mapOf, nullable, optional, string, type Value } from "../http/params.ts";
import type { User } from "../store/users.ts";
import { avatarUrl } from "./avatars.ts";
import { roles } from "./roles.ts";
import { maySeeEmail, shownEmail, type Viewer } from "./visibility.ts";

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
  role: int(),
  timezone: string(),
  avatar_url: nullable(string()),
  avatar_version: int(),
  profile_data: optional(mapOf(anything())),
};

/** The user object (companion reference, C). */
export const userObject = exactly(userFields);
export type UserObject = Value<typeof userObject>;

/** A user as `viewer` sees them, or as everyone may. */
export const wireUser = (user: User, clientGravatar = false, viewer?: Viewer): UserObject => ({
  user_id: user.id,
  email: shownEmail(user),
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
});
