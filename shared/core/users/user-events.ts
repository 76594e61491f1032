import type { OmitEach } from "../../base/schema/event-types.ts";
import { type Role, roles } from "../../base/schema/roles.ts";
import { administrators, everyone, fullMembers, members, moderators, owners } from "../../base/schema/system-groups.ts";
import { type EmailVisibility, emailVisibilities } from "../../base/schema/user-settings.ts";
import { secondsPerDay } from "../../base/time.ts";
import { lowestRoleSeeing } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type Audience, eventForEveryone, type LoggedEvent } from "../../store/log/entry.ts";
import type { User } from "../../store/users/users.ts";
import { pictureUrl } from "./avatars.ts";
import type { UserChange } from "./event-types.ts";

/** Logged events about changes of users; see https://zulip.com/api/get-events. */

const everyoneAudience: Audience = { kind: "everyone" };

/** A change of a user that others see; `person` contains only the changed fields. */
export const userUpdateEvent = (
  userId: number,
  changes: OmitEach<UserChange, "user_id">,
  audience: Audience = everyoneAudience,
): LoggedEvent => ({
  audience,
  event: { type: "realm_user", op: "update", person: { user_id: userId, ...changes } },
});

export const avatarUpdateEvent = (user: User): LoggedEvent =>
  userUpdateEvent(user.id, {
    avatar_url: pictureUrl(user),
    avatar_url_medium: pictureUrl(user, "medium"),
    avatar_source: user.avatarSource,
    avatar_version: user.avatarVersion,
  });

export const consentEvent = (user_id: number, consented: boolean): LoggedEvent => ({
  audience: { kind: "administrators" },
  event: { type: "realm_export_consent", user_id, consented },
});

const systemGroupByRole: Record<Role, number> = {
  [roles.owner]: owners,
  [roles.administrator]: administrators,
  [roles.moderator]: moderators,
  [roles.member]: members,
  [roles.guest]: everyone,
};

/** The system groups of which a user is a direct member: the role's, and full members for members after the waiting period. */
export function systemGroupsOf({ role, joinedAt }: Pick<User, "role" | "joinedAt">, { settings }: Realm): number[] {
  const hasWaited = Date.now() / 1000 - joinedAt >= settings.waiting_period_threshold * secondsPerDay;
  return [systemGroupByRole[role], ...(role === roles.member && hasWaited ? [fullMembers] : [])];
}

/** Adds a user to groups or removes them; one event for each group. */
export const membershipEvents = (
  op: "add_members" | "remove_members",
  groupIds: Iterable<number>,
  userId: number,
): LoggedEvent[] =>
  [...groupIds].map((group_id) => eventForEveryone({ type: "user_group", op, group_id, user_ids: [userId] }));

/** The audience that may see an address with this visibility, including its owner. */
const emailViewers = (visibility: EmailVisibility, userId: number): Audience =>
  visibility === emailVisibilities.everyone
    ? everyoneAudience
    : { kind: "roles", above: 0, upTo: lowestRoleSeeing(visibility) ?? 0, userIds: [userId] };

/** A user's new address: as `delivery_email` to users who may see it, and as `new_email` to everyone if it is public. */
export function emailEvents(user: User): LoggedEvent[] {
  const visibility = user.emailVisibility ?? emailVisibilities.everyone;
  return [
    userUpdateEvent(user.id, { delivery_email: user.email }, emailViewers(visibility, user.id)),
    ...(visibility === emailVisibilities.everyone ? [userUpdateEvent(user.id, { new_email: user.email })] : []),
  ];
}

/** A change of an address's visibility: events for users who gain or lose access to it, and for the API's address. */
export function emailVisibilityEvents(
  user: User,
  before: EmailVisibility,
  after: EmailVisibility,
  visibleAddress: string,
): LoggedEvent[] {
  const [lowestRoleBefore, lowestRoleAfter] = [lowestRoleSeeing(before) ?? 0, lowestRoleSeeing(after) ?? 0];
  const between = (above: number, upTo: number): Audience => ({ kind: "roles", above, upTo, exceptIds: [user.id] });
  const isPublic = (visibility: EmailVisibility) => visibility === emailVisibilities.everyone;
  return [
    ...(lowestRoleAfter > lowestRoleBefore
      ? [userUpdateEvent(user.id, { delivery_email: user.email }, between(lowestRoleBefore, lowestRoleAfter))]
      : []),
    ...(lowestRoleBefore > lowestRoleAfter
      ? [userUpdateEvent(user.id, { delivery_email: null }, between(lowestRoleAfter, lowestRoleBefore))]
      : []),
    ...(isPublic(before) !== isPublic(after) ? [userUpdateEvent(user.id, { new_email: visibleAddress })] : []),
  ];
}
