import type { GroupGraph } from "../store/groups.ts";
import type { Role } from "../users/roles.ts";
import { fullMembers, isSystemGroup, systemGroups, systemSubgroups } from "./system.ts";
import type { GroupSetting } from "./values.ts";

/** What of a person decides about permissions. */
export interface Holder {
  id: number;
  role: Role;
  joinedAt: number;
  groupIds: ReadonlySet<number>;
}

/** Whether an evaluation of `value` needs the graph: only groups made by people can nest others. */
export const needsGraph = (value: GroupSetting) =>
  typeof value === "number" ? !isSystemGroup(value) : value.direct_subgroups.some((id) => !isSystemGroup(id));

/** Whether `holder` belongs to the system group `id`; full members joined `waitingPeriodDays` ago or are moderators. */
export function inSystemGroup(holder: Holder, id: number, waitingPeriodDays: number): boolean {
  const group = systemGroups.find((candidate) => candidate.id === id);
  if (!group || !("role" in group) || holder.role > group.role) return false;
  if (id !== fullMembers || holder.role < group.role) return true;
  return Date.now() / 1000 - holder.joinedAt >= waitingPeriodDays * 86_400;
}

/** Whether `holder` has the permission that `value` gives, through any depth of subgroups. */
export function holds(holder: Holder, value: GroupSetting, graph: GroupGraph, waitingPeriodDays: number): boolean {
  if (typeof value === "object" && value.direct_members.includes(holder.id)) return true;
  const open = typeof value === "number" ? [value] : [...value.direct_subgroups];
  const seen = new Set<number>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (isSystemGroup(id) ? inSystemGroup(holder, id, waitingPeriodDays) : holder.groupIds.has(id)) return true;
    if (!isSystemGroup(id)) open.push(...(graph.subgroups[id] ?? []));
  }
  return false;
}

/** All groups inside a group, itself included. */
export function withSubgroups(id: number, graph: GroupGraph): Set<number> {
  const open = [id];
  const seen = new Set<number>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(isSystemGroup(next) ? systemSubgroups(next) : (graph.subgroups[next] ?? [])));
  }
  return seen;
}
