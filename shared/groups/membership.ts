import { badRequest } from "../errors.ts";
import { joinGroup, leaveGroup } from "../store/accounts.ts";
import {
  addGroupMembers,
  checkGroupActive,
  findGroupGraph,
  findGroups,
  type Group,
  removeGroupMembers,
  setSubgroups,
} from "../store/groups.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUsers, type User } from "../store/users.ts";
import { groupIsDeactivated } from "./permissions.ts";
import { withSubgroups } from "./rules.ts";
import { isSystemGroup } from "./system.ts";

/** Who is in a group: people, and other groups. A membership stands in the group and in the account, written together. */

/** The active users behind IDs, each once. */
export async function accessMembers(ids: readonly number[]): Promise<User[]> {
  const unique = [...new Set(ids)];
  return (await findUsers(unique)).map((user, index) => {
    if (!user) throw badRequest(`Invalid user ID: ${unique[index]}`);
    if (!user.active) throw badRequest("User is deactivated");
    return user;
  });
}

/** The users behind IDs who are to leave: deactivated ones may. */
export async function accessLeaving(ids: readonly number[], group: Group): Promise<User[]> {
  const unique = [...new Set(ids)];
  return (await findUsers(unique)).map((user, index) => {
    if (!user) throw badRequest(`Invalid user ID: ${unique[index]}`);
    if (!group.members?.has(user.id)) throw notMember(user.id);
    return user;
  });
}

const alreadyMember = (id: number) => badRequest(`User ${id} is already a member of this group`);
const notMember = (id: number) => badRequest(`There is no user '${id}' in this user group`);

export function checkNoMember(group: Group, users: readonly User[]): void {
  for (const { id } of users) if (group.members?.has(id)) throw alreadyMember(id);
}

/** Users of one transaction, with the group's item and the event. */
const batchSize = 95;

export const groupEvent = (event: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "everyone" },
  event: { type: "user_group", ...event },
});

/** Puts people into a group, 95 in a transaction with its event. */
export const addMembers = (group: Group, users: readonly User[]): Promise<void> =>
  inBatches(users, async (batch) => {
    const ids = batch.map(({ id }) => id);
    await membership(batch, alreadyMember, () => ({
      writes: [...batch.map(({ email }) => joinGroup(email, group.id)), addGroupMembers(group.id, ids)],
      events: [groupEvent({ op: "add_members", group_id: group.id, user_ids: ids })],
      result: undefined,
    }));
  });

/** Takes people out of a group, in the same way. */
export const removeMembers = (group: Group, users: readonly User[]): Promise<void> =>
  inBatches(users, async (batch) => {
    const ids = batch.map(({ id }) => id);
    await membership(batch, notMember, () => ({
      writes: [...batch.map(({ email }) => leaveGroup(email, group.id)), removeGroupMembers(group.id, ids)],
      events: [groupEvent({ op: "remove_members", group_id: group.id, user_ids: ids })],
      result: undefined,
    }));
  });

async function inBatches(users: readonly User[], write: (batch: readonly User[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < users.length; start += batchSize) await write(users.slice(start, start + batchSize));
}

async function membership(
  users: readonly User[],
  refusal: (id: number) => Error,
  plan: Parameters<typeof commit<undefined>>[1],
): Promise<void> {
  try {
    await commit({ events: 1 }, plan);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const user = users[error.failed[0] ?? 0];
    throw user ? refusal(user.id) : groupIsDeactivated();
  }
}

const mostAttempts = 8;

/** Adds and removes direct subgroups; a group never comes to contain itself, however many change the graph at once. */
export async function changeSubgroups(group: Group, add: readonly number[], remove: readonly number[]): Promise<void> {
  const added = [...new Set(add)];
  await accessSubgroups(added);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const graph = await findGroupGraph({ consistent: true });
    const before = graph.subgroups[group.id] ?? [];
    for (const id of remove)
      if (!before.includes(id)) throw badRequest(`User group ${id} is not a subgroup of this group.`);
    for (const id of added) {
      if (before.includes(id)) throw badRequest(`User group ${id} is already a subgroup of this group.`);
      if (withSubgroups(id, graph).has(group.id))
        throw badRequest(`User group ${group.id} is already a subgroup of one of the passed subgroups.`);
    }
    const after = [...before.filter((id) => !remove.includes(id)), ...added];
    const events = [
      ...(added.length > 0
        ? [groupEvent({ op: "add_subgroups", group_id: group.id, direct_subgroup_ids: added })]
        : []),
      ...(remove.length > 0
        ? [groupEvent({ op: "remove_subgroups", group_id: group.id, direct_subgroup_ids: [...new Set(remove)] })]
        : []),
    ];
    const writes = [
      ...setSubgroups(group.id, after, graph),
      ...added.filter((id) => !isSystemGroup(id)).map(checkGroupActive),
    ];
    try {
      return await commit({ events: events.length }, () => ({ writes, events, result: undefined }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (!error.failed.includes(0)) throw groupIsDeactivated();
    }
  }
  throw badRequest("The groups were changed at the same time; try again.");
}

/** Groups that may be put into another. */
export async function accessSubgroups(ids: readonly number[]): Promise<void> {
  for (const [index, group] of (await findGroups(ids)).entries()) {
    if (!group) throw badRequest(`Invalid user group ID: ${ids[index]}`);
    if (group.deactivated) throw groupIsDeactivated();
  }
}
