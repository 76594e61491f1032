import type { GroupGraph } from "../store/groups.ts";
import type { LoggedEvent } from "../store/log.ts";
import { isSystemGroup } from "./system.ts";
import type { GroupObject } from "./wire.ts";

/** One person's groups and how groups nest, followed through the log. */
export interface Ties {
  groupIds: ReadonlySet<number>;
  subgroups: GroupGraph["subgroups"];
}

/** A membership of the person (without `subgroupId`), or a subgroup, that an entry of the log begins or ends. */
interface Tie {
  groupId: number;
  subgroupId: number | undefined;
  begins: boolean;
}

type Entry = Partial<Pick<LoggedEvent, "event">>;

function tiesIn({ event }: Entry, userId: number): Tie[] {
  if (event?.type !== "user_group") return [];
  if (event.op === "add") return tiesOfNew(event.group as GroupObject, userId);
  const groupId = event.group_id as number;
  // Who is in those follows from roles.
  if (isSystemGroup(groupId)) return [];
  const begins = event.op === "add_members" || event.op === "add_subgroups";
  if (event.op === "add_members" || event.op === "remove_members")
    return (event.user_ids as number[]).includes(userId) ? [{ groupId, subgroupId: undefined, begins }] : [];
  if (event.op === "add_subgroups" || event.op === "remove_subgroups")
    return (event.direct_subgroup_ids as number[]).map((subgroupId) => ({ groupId, subgroupId, begins }));
  return [];
}

const tiesOfNew = ({ id: groupId, members, direct_subgroup_ids }: GroupObject, userId: number): Tie[] => [
  ...(members.includes(userId) ? [{ groupId, subgroupId: undefined, begins: true }] : []),
  ...direct_subgroup_ids.map((subgroupId) => ({ groupId, subgroupId, begins: true })),
];

/** Whether an entry of the log says of a change that may give or take permissions from the person: no new group does. */
export const changesTies = (entry: Entry, userId: number) =>
  entry.event?.op !== "add" && tiesIn(entry, userId).length > 0;

/**
 * How things stood after the first `count` of some entries of the log. What the entries speak of follows from them
 * alone, the rest from `known`, which may have been read before, among or after them.
 */
export function tiesAfter(count: number, entries: readonly Entry[], userId: number, known: Ties): Ties {
  const changes = entries.map((entry) => tiesIn(entry, userId));
  const groupIds = new Set(known.groupIds);
  const subgroups = { ...known.subgroups };
  const set = ({ groupId, subgroupId }: Tie, there: boolean) => {
    if (subgroupId === undefined) {
      if (there) groupIds.add(groupId);
      else groupIds.delete(groupId);
      return;
    }
    const others = (subgroups[groupId] ?? []).filter((id) => id !== subgroupId);
    subgroups[groupId] = there ? [...others, subgroupId] : others;
  };
  // Backwards, so that the earliest of the later changes decides; then what had happened by then.
  for (const tie of changes.slice(count).flat().reverse()) set(tie, !tie.begins);
  for (const tie of changes.slice(0, count).flat()) set(tie, tie.begins);
  return { groupIds, subgroups };
}
