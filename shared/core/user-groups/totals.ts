import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { jsonBytes } from "../../services/http/reply-size.ts";
import { type Group, type GroupGraph, listGroups } from "../../store/organization/groups.ts";

/** Limits on all groups together: every client receives all of them, and each permission that names one reads their nesting. */

/** A user ID in JSON, with its comma. */
const idBytes = 8;
/** The other fields of a group in JSON. */
const otherFieldsBytes = 450;

type Sized = Pick<Group, "name" | "description" | "members" | "subgroupIds" | "settings">;

const idsIn = (value: GroupSetting) =>
  typeof value === "number" ? 1 : value.direct_members.length + value.direct_subgroups.length;

/** About how many bytes a group takes in JSON. */
export const groupBytes = ({ name, description, members, subgroupIds, settings }: Sized): number =>
  jsonBytes(name) +
  jsonBytes(description) +
  otherFieldsBytes +
  idBytes *
    ((members?.size ?? 0) +
      subgroupIds.length +
      Object.values(settings).reduce<number>((sum, value) => sum + idsIn(value), 0));

/**
 * Refuses a change that would make the list of all groups longer than `limits.groupListBytes`. Requests at once may exceed it by
 * what they add. Reads all groups, as `POST /register` does.
 */
export async function checkGroupListBytes(added: number): Promise<void> {
  if (added <= 0) return;
  const total = (await listGroups()).reduce((sum, group) => sum + groupBytes(group), added);
  if (total > limits.groupListBytes)
    throw badRequest(
      `An organization's user groups can have at most ${limits.groupListBytes / 1e6} MB, with their members and permissions.`,
    );
}

export const checkMembersAdded = (count: number) => checkGroupListBytes(count * idBytes);

/**
 * Refuses new subgroups of a group that would make too many in the organization, or a group that is nested too deeply. The graph
 * is written conditionally, so that concurrent requests together do not exceed either. `after`: the graph with the subgroups.
 */
export function checkNesting(groupId: number, { subgroups: after }: Pick<GroupGraph, "subgroups">): void {
  const count = Object.values(after).reduce((sum, ids) => sum + ids.length, 0);
  if (count > creationLimits.subgroup.max) throw badRequest(tooMany("subgroup"));
  const supergroups: GroupGraph["subgroups"] = {};
  for (const [id, ids] of Object.entries(after))
    for (const subgroup of ids) {
      supergroups[subgroup] ??= [];
      supergroups[subgroup].push(Number(id));
    }
  const levels = levelsFrom(groupId, after) + levelsFrom(groupId, supergroups) - 1;
  if (levels > limits.groupLevels)
    throw badRequest(`User groups can be nested at most ${limits.groupLevels} levels deep.`);
}

/** The length of the longest chain that begins with a group; visits each group and edge once. The graph has no cycles. */
function levelsFrom(id: number, next: GroupGraph["subgroups"], known = new Map<number, number>()): number {
  const found = known.get(id);
  if (found !== undefined) return found;
  const levels = 1 + Math.max(0, ...(next[id] ?? []).map((each) => levelsFrom(each, next, known)));
  known.set(id, levels);
  return levels;
}
