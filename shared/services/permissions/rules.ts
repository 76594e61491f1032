import type { GroupSetting } from "../../base/schema/group-setting.ts";
import type { Role } from "../../base/schema/roles.ts";
import { fullMembers, isSystemGroup, systemGroups, systemSubgroups } from "../../base/schema/system-groups.ts";
import { secondsPerDay } from "../../base/time.ts";
import type { GroupGraph } from "../../store/organization/groups.ts";

/** The fields of a user that decide about permissions. */
export interface PermissionHolder {
  id: number;
  role: Role;
  joinedAt: number;
  groupIds: ReadonlySet<number>;
}

/** Whether evaluating `value` needs the group graph: only custom groups have custom subgroups. */
export const needsGraph = (value: GroupSetting) =>
  typeof value === "number" ? !isSystemGroup(value) : value.direct_subgroups.some((id) => !isSystemGroup(id));

/** Whether `holder` is in the system group `id`; full members joined `waitingPeriodDays` ago or are moderators. */
function inSystemGroup(holder: PermissionHolder, id: number, waitingPeriodDays: number): boolean {
  const group = systemGroups.find((candidate) => candidate.id === id);
  if (!group || !("role" in group) || holder.role > group.role) return false;
  if (id !== fullMembers || holder.role < group.role) return true;
  return Date.now() / 1000 - holder.joinedAt >= waitingPeriodDays * secondsPerDay;
}

/** Whether `value` includes `holder`, through any depth of subgroups. */
export function isPermitted(
  holder: PermissionHolder,
  value: GroupSetting,
  graph: GroupGraph,
  waitingPeriodDays: number,
): boolean {
  if (typeof value === "object" && value.direct_members.includes(holder.id)) return true;
  const pending = typeof value === "number" ? [value] : [...value.direct_subgroups];
  const seen = new Set<number>();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (isSystemGroup(id) ? inSystemGroup(holder, id, waitingPeriodDays) : holder.groupIds.has(id)) return true;
    if (!isSystemGroup(id)) pending.push(...(graph.subgroups[id] ?? []));
  }
  return false;
}

/** All groups inside a group, itself included. */
export function withSubgroups(id: number, graph: GroupGraph): Set<number> {
  const pending = [id];
  const seen = new Set<number>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    pending.push(...(isSystemGroup(next) ? systemSubgroups(next) : (graph.subgroups[next] ?? [])));
  }
  return seen;
}
