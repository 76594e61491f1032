import { ApiError, badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { joinGroup, leaveGroup } from "../store/accounts.ts";
import { listChannels } from "../store/channels.ts";
import { takeIds } from "../store/counters.ts";
import {
  addToGraph,
  changeGroup,
  checkGroupActive,
  createGroup,
  findGroup,
  findGroupGraph,
  type Group,
  listGroups,
  renameGroupClaim,
  retireGroup,
} from "../store/groups.ts";
import { commit } from "../store/log.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { startingGroupSettings } from "./defaults.ts";
import { groupEvent } from "./membership.ts";
import { checkFewGroups, groupAlreadyExists } from "./names.ts";
import { groupIsDeactivated } from "./permissions.ts";
import { groupsNamedBy } from "./settings.ts";
import { isSystemGroup } from "./system.ts";
import { objectionsTo } from "./usage.ts";
import { settingNames, wireGroup } from "./wire.ts";

interface NewGroup {
  name: string;
  description: string;
  members: readonly User[];
  subgroupIds: readonly number[];
  settings: Partial<Group["settings"]>;
}

/** Members whose accounts fit into the transaction of the group itself. */
const inOneTransaction = 45;

/**
 * Creates a group with its members; undefined when the name is taken. Of many members most accounts are written before:
 * they belong to a group of which nobody knows until it is there.
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
    settings: { ...startingGroupSettings(caller.id), ...wanted.settings },
  };
  const used = checkFewGroups(
    [...new Set([...groupsNamedBy(Object.values(group.settings)), ...group.subgroupIds])].filter(
      (groupId) => !isSystemGroup(groupId),
    ),
  );
  const emails = wanted.members.map(({ email }) => email);
  const [first, others] = [emails.slice(0, inOneTransaction), emails.slice(inOneTransaction)];
  for (let start = 0; start < others.length; start += 95)
    await transact(others.slice(start, start + 95).map((email) => joinGroup(email, id)));
  for (;;) {
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
        events: [groupEvent({ op: "add", group: wireGroup(group) })],
        result: group,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (inGraph.length > 0 && error.failed.every((position) => position === 2)) continue;
      for (let start = 0; start < others.length; start += 95)
        await transact(others.slice(start, start + 95).map((email) => leaveGroup(email, id)));
      throw error.failed.includes(0) ? groupAlreadyExists(wanted.name) : groupIsDeactivated();
    }
  }
}

/** Changes a group's own fields with its event. False when somebody else has changed them since they were read. */
export async function changeGroupTo(before: Group, changes: Partial<Group>): Promise<boolean> {
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
  const used = checkFewGroups(
    groupsNamedBy(changed.map((name) => after.settings[name])).filter((id) => id !== before.id),
  );
  // Who does not know deactivated groups hears of a reactivated one as of a new one, for which all of it is needed.
  const group = before.deactivated && !after.deactivated ? { group: wireGroup(after) } : {};
  try {
    return await commit({ events: 1 }, () => ({
      writes: [changeGroup(before, changes), ...claims, ...used.map(checkGroupActive)],
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
 * Deactivates a group that nothing uses. First it is marked, so that nothing begins to use it, then all that might use
 * it is read as it is now: a use that came before the mark is seen, and one that comes after it fails.
 */
export async function deactivateGroup(group: Group, realm: () => Promise<Realm>): Promise<void> {
  if (!(await unlessChanged(transact([retireGroup(group)])))) throw changedMeanwhile();
  const retired = { ...group, version: (group.version ?? 0) + 1 };
  const [{ settings }, channels, groups, graph] = await Promise.all([
    realm(),
    listChannels({ consistent: true }),
    listGroups({ consistent: true }),
    findGroupGraph({ consistent: true }),
  ]);
  const objections = objectionsTo(group.id, settings, channels, groups, graph);
  if (objections.length > 0) {
    await unlessChanged(transact([changeGroup(retired, {})]));
    throw new ApiError("CANNOT_DEACTIVATE_GROUP_IN_USE", "Cannot deactivate user group in use.", { objections });
  }
  if (!(await changeGroupTo(retired, { deactivated: true }))) {
    if ((await findGroup(group.id))?.deactivated) return;
    throw changedMeanwhile();
  }
}

async function unlessChanged(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

export const changedMeanwhile = () => badRequest("The user group was changed at the same time; try again.");
