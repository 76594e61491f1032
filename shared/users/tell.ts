import { administrators, everyone, fullMembers, members, moderators, owners } from "../groups/system.ts";
import type { Realm } from "../organization/access.ts";
import type { Audience, LoggedEvent } from "../store/log.ts";
import type { User } from "../store/users.ts";
import { pictureUrl } from "./avatars.ts";
import { type Role, roles } from "./roles.ts";
import { type EmailVisibility, emailVisibilities, rolesSeeing } from "./visibility.ts";

/** The events that tell of changes of people (companion reference, D). */

const all: Audience = { kind: "everyone" };

/** A change of what others see of a user: `person` has the changed fields alone. */
export const userUpdate = (
  userId: number,
  changed: Record<string, unknown>,
  audience: Audience = all,
): LoggedEvent => ({
  audience,
  event: { type: "realm_user", op: "update", person: { user_id: userId, ...changed } },
});

/** The new picture of a user whose gravatar or avatar has changed. */
export const avatarUpdate = (user: User): LoggedEvent =>
  userUpdate(user.id, {
    avatar_url: pictureUrl(user),
    avatar_url_medium: pictureUrl(user, "medium"),
    avatar_source: user.avatarSource,
    avatar_version: user.avatarVersion,
  });

/** Whether a person's private data may be exported, which no other event about people says. */
export const consentUpdate = (user_id: number, consented: boolean): LoggedEvent => ({
  audience: { kind: "administrators" },
  event: { type: "realm_export_consent", user_id, consented },
});

const groupOfRole: Record<Role, number> = {
  [roles.owner]: owners,
  [roles.administrator]: administrators,
  [roles.moderator]: moderators,
  [roles.member]: members,
  [roles.guest]: everyone,
};

/** The system groups that list a user as a direct member: that of the role, and for members the full members'. */
export function systemGroupsOf({ role, joinedAt }: Pick<User, "role" | "joinedAt">, { settings }: Realm): number[] {
  const waited = Date.now() / 1000 - joinedAt >= settings.waiting_period_threshold * 86_400;
  return [groupOfRole[role], ...(role === roles.member && waited ? [fullMembers] : [])];
}

/** Tells of users coming into groups, or out of them; one event for each group. */
export const membershipUpdates = (
  op: "add_members" | "remove_members",
  groupIds: Iterable<number>,
  userId: number,
): LoggedEvent[] =>
  [...groupIds].map((group_id) => ({
    audience: all,
    event: { type: "user_group", op, group_id, user_ids: [userId] },
  }));

/** Those who see an address of a visibility, its owner among them. */
const seeing = (visibility: EmailVisibility, userId: number): Audience =>
  visibility === emailVisibilities.everyone
    ? all
    : { kind: "roles", above: 0, upTo: rolesSeeing(visibility) ?? 0, userIds: [userId] };

/** A user's new address: to those who may see it, and as the API's address to everyone where all may. */
export function emailUpdates(user: User): LoggedEvent[] {
  const visibility = user.emailVisibility ?? emailVisibilities.everyone;
  return [
    userUpdate(user.id, { delivery_email: user.email }, seeing(visibility, user.id)),
    ...(visibility === emailVisibilities.everyone ? [userUpdate(user.id, { new_email: user.email })] : []),
  ];
}

/** A change of who sees a user's address: those who gain sight of it, those who lose it, and the API's address. */
export function visibilityUpdates(
  user: User,
  before: EmailVisibility,
  after: EmailVisibility,
  shown: string,
): LoggedEvent[] {
  const [from, to] = [rolesSeeing(before) ?? 0, rolesSeeing(after) ?? 0];
  const between = (above: number, upTo: number): Audience => ({ kind: "roles", above, upTo, exceptIds: [user.id] });
  const isPublic = (visibility: EmailVisibility) => visibility === emailVisibilities.everyone;
  return [
    ...(to > from ? [userUpdate(user.id, { delivery_email: user.email }, between(from, to))] : []),
    ...(from > to ? [userUpdate(user.id, { delivery_email: null }, between(to, from))] : []),
    ...(isPublic(before) !== isPublic(after) ? [userUpdate(user.id, { new_email: shown })] : []),
  ];
}
