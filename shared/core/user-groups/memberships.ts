import { isSystemGroup } from "../../base/schema/system-groups.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import type { GroupGraph } from "../../store/organization/groups.ts";
import type { GroupObject } from "./wire.ts";

/** A user's groups and the nesting of groups at some point of the log. */
export interface Memberships {
  groupIds: ReadonlySet<number>;
  subgroups: GroupGraph["subgroups"];
}

/** A membership of the user (without `subgroupId`) or of a subgroup that a log entry adds or removes. */
interface MembershipChange {
  groupId: number;
  subgroupId: number | undefined;
  added: boolean;
}

type Entry = Partial<Pick<LoggedEvent, "event">>;

function membershipChanges({ event }: Entry, userId: number): MembershipChange[] {
  if (event?.type !== "user_group") return [];
  if (event.op === "add") return changesOfNewGroup(event.group, userId);
  const groupId = event.group_id;
  // Membership in system groups follows from roles.
  if (isSystemGroup(groupId)) return [];
  const added = event.op === "add_members" || event.op === "add_subgroups";
  if (event.op === "add_members" || event.op === "remove_members")
    return event.user_ids.includes(userId) ? [{ groupId, subgroupId: undefined, added }] : [];
  if (event.op === "add_subgroups" || event.op === "remove_subgroups")
    return event.direct_subgroup_ids.map((subgroupId) => ({ groupId, subgroupId, added }));
  return [];
}

const changesOfNewGroup = (
  { id: groupId, members, direct_subgroup_ids }: GroupObject,
  userId: number,
): MembershipChange[] => [
  ...(members.includes(userId) ? [{ groupId, subgroupId: undefined, added: true }] : []),
  ...direct_subgroup_ids.map((subgroupId) => ({ groupId, subgroupId, added: true })),
];

/** Whether a log entry may change what the user may do. A new group does not: nothing refers to it yet. */
export const mayChangePermissions = ({ event }: Entry, userId: number) =>
  event?.type === "user_group" && event.op !== "add" && membershipChanges({ event }, userId).length > 0;

/**
 * The memberships after the first `count` of the given log entries. Memberships that the entries mention follow from them
 * alone; the rest comes from `known`, which may have been read before, during or after the entries.
 */
export function membershipsAfter(
  count: number,
  entries: readonly Entry[],
  userId: number,
  known: Memberships,
): Memberships {
  const changes = entries.map((entry) => membershipChanges(entry, userId));
  const groupIds = new Set(known.groupIds);
  const subgroups = { ...known.subgroups };
  const setMembership = ({ groupId, subgroupId }: MembershipChange, isPresent: boolean) => {
    if (subgroupId === undefined) {
      if (isPresent) groupIds.add(groupId);
      else groupIds.delete(groupId);
      return;
    }
    const others = (subgroups[groupId] ?? []).filter((id) => id !== subgroupId);
    subgroups[groupId] = isPresent ? [...others, subgroupId] : others;
  };
  // Undoes the later changes in reverse order, then applies the earlier ones.
  for (const change of changes.slice(count).flat().reverse()) setMembership(change, !change.added);
  for (const change of changes.slice(0, count).flat()) setMembership(change, change.added);
  return { groupIds, subgroups };
}
