import { fullMembers, systemGroups } from "../../base/schema/system-groups.ts";
import { secondsPerDay } from "../../base/time.ts";
import { type Group, listGroups } from "../../store/organization/groups.ts";
import { listUsers, type User } from "../../store/users/users.ts";
import { withMembers } from "./settings.ts";
import { type GroupObject, toGroupWire } from "./wire.ts";

type MembershipFields = Pick<User, "id" | "role" | "active" | "joinedAt" | "isSystemBot">;

/** Direct members of a system group: users with exactly the group's role. */
export function systemGroupMembers(
  groupId: number,
  users: readonly MembershipFields[],
  waitingPeriodDays: number,
): number[] {
  const group = systemGroups.find(({ id }) => id === groupId);
  if (!group || !("role" in group) || group.name === "role:internet") return [];
  const joinedBefore = groupId === fullMembers ? Date.now() / 1000 - waitingPeriodDays * secondsPerDay : Infinity;
  return users
    .filter((user) => user.active && !user.isSystemBot && user.role === group.role && user.joinedAt <= joinedBefore)
    .map(({ id }) => id);
}

/**
 * `realm_user_groups`: all groups with their members; deactivated ones only for clients that support them. Reads all groups
 * and users, unless `users` is given.
 */
export async function userGroupsState(
  waitingPeriodDays: number,
  { includeDeactivated, users }: { includeDeactivated: boolean; users?: readonly User[] },
): Promise<GroupObject[]> {
  const [groups, allUsers] = await Promise.all([listGroups(), users ?? listUsers()]);
  const inactiveIds = new Set(allUsers.filter(({ active }) => !active).map(({ id }) => id));
  return groups
    .filter(({ deactivated }) => includeDeactivated || !deactivated)
    .map((group) => {
      const members = group.isSystem
        ? systemGroupMembers(group.id, allUsers, waitingPeriodDays)
        : [...(group.members ?? [])].filter((id) => !inactiveIds.has(id));
      return toGroupWire(withoutInactive(group, inactiveIds), members);
    });
}

/** Removes deactivated users from a group's permissions. */
function withoutInactive(group: Group, inactiveIds: ReadonlySet<number>): Group {
  const entries = Object.entries(group.settings).map(([name, value]) => [
    name,
    withMembers(value, (id) => !inactiveIds.has(id)),
  ]);
  return { ...group, settings: Object.fromEntries(entries) as Group["settings"] };
}
