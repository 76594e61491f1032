import { ApiError, badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import type { Realm } from "../organization/access.ts";
import { isSystemGroup } from "../schema/system-groups.ts";
import { listChannels } from "../store/channels/channels.ts";
import { commit } from "../store/log/log.ts";
import {
  addToGraph,
  checkGroupActive,
  createGroup,
  findGroup,
  findGroupGraph,
  type Group,
  listGroups,
  markGroupRetired,
  renameGroupClaim,
  updateGroup,
} from "../store/organization/groups.ts";
import { conflict, retryOnConflict } from "../store/table/conflicts.ts";
import { takeIds } from "../store/table/counters.ts";
import { ConditionFailed, transact } from "../store/table/transactions.ts";
import { joinGroup, leaveGroup } from "../store/users/accounts.ts";
import type { User } from "../store/users/users.ts";
import { defaultGroupSettings } from "./defaults.ts";
import { groupEvent } from "./membership.ts";
import { checkGroupCount, groupAlreadyExists } from "./names.ts";
import { groupIsDeactivated } from "./permissions.ts";
import { referencedGroups } from "./settings.ts";
import { findUsages } from "./usage.ts";
import { settingNames, toGroupWire } from "./wire.ts";

interface NewGroup {
  name: string;
  description: string;
  members: readonly User[];
  subgroupIds: readonly number[];
  settings: Partial<Group["settings"]>;
}

/** How many members' accounts are updated in the transaction that creates the group. */
const maxMembersAtOnce = 45;

/**
 * Creates a group with its members. With many members, most accounts are updated before: their membership has no effect
 * until the group exists.
 */
export async function addGroup(caller: Caller, wanted: NewGroup): Promise<Group> {
  const id = await takeIds("group");
  const group: Group = {
    id,
    version: 1,
    name: wanted.name,
    description: wanted.description,
    createdAt: Math.floor(Date.now() / 1000),
    creatorId: caller.id,
    ...(wanted.members.length > 0 && { members: new Set(wanted.members.map((user) => user.id)) }),
    subgroupIds: [...wanted.subgroupIds],
    isSystem: false,
    deactivated: false,
    settings: { ...defaultGroupSettings(caller.id), ...wanted.settings },
  };
  const used = checkGroupCount(
    [...new Set([...referencedGroups(Object.values(group.settings)), ...group.subgroupIds])].filter(
      (groupId) => !isSystemGroup(groupId),
    ),
  );
  const emails = wanted.members.map(({ email }) => email);
  const [first, others] = [emails.slice(0, maxMembersAtOnce), emails.slice(maxMembersAtOnce)];
  for (let start = 0; start < others.length; start += 95)
    await transact(others.slice(start, start + 95).map((email) => joinGroup(email, id)));
  return retryOnConflict(async () => {
    const graph = await findGroupGraph({ consistent: true });
    const inGraph = group.subgroupIds.length > 0 ? addToGraph(id, group.subgroupIds, graph) : [];
    try {
      return await commit({ events: 1 }, () => ({
        writes: [
          ...createGroup(group),
          ...inGraph,
          ...first.map((email) => joinGroup(email, id)),
          ...used.map(checkGroupActive),
        ],
        events: [groupEvent({ op: "add", group: toGroupWire(group) })],
        result: group,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (inGraph.length > 0 && error.failed.every((position) => position === 2)) return conflict;
      for (let start = 0; start < others.length; start += 95)
        await transact(others.slice(start, start + 95).map((email) => leaveGroup(email, id)));
      throw error.failed.includes(0) ? groupAlreadyExists(wanted.name) : groupIsDeactivated();
    }
  });
}

/** Changes a group's own fields with its event. Returns false on a conflict with a concurrent change. */
export async function applyGroupChanges(before: Group, changes: Partial<Group>): Promise<boolean> {
  const after = { ...before, ...changes };
  const claims = renameGroupClaim(before.id, before.name, after.name);
  const data = {
    ...(before.name !== after.name && { name: after.name }),
    ...(before.description !== after.description && { description: after.description }),
    ...(before.deactivated !== after.deactivated && { deactivated: after.deactivated }),
    ...Object.fromEntries(
      Object.entries(settingNames)
        .filter(([, name]) => before.settings[name] !== after.settings[name])
        .map(([wire, name]) => [wire, after.settings[name]]),
    ),
  };
  const changed = Object.values(settingNames).filter((name) => before.settings[name] !== after.settings[name]);
  const used = checkGroupCount(
    referencedGroups(changed.map((name) => after.settings[name])).filter((id) => id !== before.id),
  );
  // Clients without support for deactivated groups receive a reactivated one as new, which needs the whole object.
  const group = before.deactivated && !after.deactivated ? { group: toGroupWire(after) } : {};
  try {
    return await commit({ events: 1 }, () => ({
      writes: [updateGroup(before, changes), ...claims, ...used.map(checkGroupActive)],
      events: [groupEvent({ op: "update", group_id: before.id, data, ...group })],
      result: true,
    }));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed.includes(0)) return false;
    throw claims.length > 0 && error.failed.includes(1) ? groupAlreadyExists(after.name) : groupIsDeactivated();
  }
}

/**
 * Deactivates an unused group. The group is first marked as retired, which fails new uses, and only then are its uses
 * read, strongly consistent: a use from before the mark is found, and one after it fails.
 */
export async function deactivateGroup(group: Group, realm: () => Promise<Realm>): Promise<void> {
  if (!(await isUnchanged(transact([markGroupRetired(group)])))) throw groupChangedMeanwhile();
  const retired = { ...group, version: (group.version ?? 0) + 1 };
  const [{ settings }, channels, groups, graph] = await Promise.all([
    realm(),
    listChannels({ consistent: true }),
    listGroups({ consistent: true }),
    findGroupGraph({ consistent: true }),
  ]);
  const objections = findUsages(group.id, settings, channels, groups, graph);
  if (objections.length > 0) {
    await isUnchanged(transact([updateGroup(retired, {})]));
    throw new ApiError("CANNOT_DEACTIVATE_GROUP_IN_USE", "Cannot deactivate user group in use.", { objections });
  }
  if (!(await applyGroupChanges(retired, { deactivated: true }))) {
    if ((await findGroup(group.id))?.deactivated) return;
    throw groupChangedMeanwhile();
  }
}

async function isUnchanged(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

export const groupChangedMeanwhile = () => badRequest("The user group was changed by another request; try again.");
