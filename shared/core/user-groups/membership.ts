import { batchesOf } from "../../base/batches.ts";
import { badRequest } from "../../base/errors.ts";
import type { OmitEach } from "../../base/schema/event-types.ts";
import { isSystemGroup } from "../../base/schema/system-groups.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { withSubgroups } from "../../services/permissions/rules.ts";
import { eventForEveryone, type LoggedEvent } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import {
  addGroupMembers,
  checkGroupActive,
  findGroupGraph,
  findGroups,
  type Group,
  removeGroupMembers,
  setSubgroups,
} from "../../store/organization/groups.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { joinGroup, leaveGroup } from "../../store/users/accounts.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import type { LoggedGroupEvent } from "./event-types.ts";
import { groupIsDeactivated } from "./permissions.ts";
import { checkNesting } from "./totals.ts";

/** Members and subgroups of groups. A membership is stored in the group and in the account, written in one transaction. */

/** The active users with these IDs, without duplicates. */
export async function accessMembers(caller: Caller, ids: readonly number[]): Promise<User[]> {
  const uniqueIds = [...new Set(ids)];
  return (await findNamedUsers(caller, uniqueIds)).map((user, index) => {
    if (!user) throw badRequest(`Invalid user ID: ${uniqueIds[index]}`);
    if (!user.active) throw badRequest("User is deactivated");
    return user;
  });
}

/** The members with these IDs, without duplicates. Includes deactivated users, who may be removed too. */
export async function accessMembersToRemove(caller: Caller, ids: readonly number[], group: Group): Promise<User[]> {
  const uniqueIds = [...new Set(ids)];
  const otherIds = uniqueIds.filter((id) => !group.members?.has(id));
  // Everyone sees a group's members, so that only other IDs must not reveal who exists.
  for (const [index, user] of (await findNamedUsers(caller, otherIds)).entries())
    throw user ? notMember(user.id) : badRequest(`Invalid user ID: ${otherIds[index]}`);
  return (await findUsers(uniqueIds)).filter((user) => user !== undefined);
}

const alreadyMember = (id: number) => badRequest(`User ${id} is already a member of this group`);
const notMember = (id: number) => badRequest(`There is no user '${id}' in this user group`);

export function checkNoneAreMembers(group: Group, users: readonly User[]): void {
  for (const { id } of users) if (group.members?.has(id)) throw alreadyMember(id);
}

/** Users per transaction, next to the group's item and the event. */
const batchSize = 95;

export const groupEvent = (event: OmitEach<LoggedGroupEvent, "type">): LoggedEvent =>
  eventForEveryone({ type: "user_group", ...event });

const memberChanges = {
  add_members: { ofAccount: joinGroup, ofGroup: addGroupMembers, refusal: alreadyMember },
  remove_members: { ofAccount: leaveGroup, ofGroup: removeGroupMembers, refusal: notMember },
};

/** Adds or removes users in batches, each a transaction with its event, which throws `refusal` if it changes nothing for a user. */
async function changeMembers(
  op: keyof typeof memberChanges,
  { id: groupId, name }: Group,
  users: readonly User[],
  refusal: (userId: number) => Error = memberChanges[op].refusal,
) {
  const { ofAccount, ofGroup } = memberChanges[op];
  for (const batch of batchesOf(users, batchSize)) {
    const ids = batch.map(({ id }) => id);
    await commit({
      writes: [
        ...batch.map(({ id, email }) => withRefusal(ofAccount(email, groupId), () => refusal(id))),
        withRefusal(ofGroup(groupId, ids), groupIsDeactivated),
        auditRecord("group_members_changed", { ...{ groupId, name }, after: { [op]: ids } }),
      ],
      events: [groupEvent({ op, group_id: groupId, user_ids: ids })],
    });
  }
}

type Refusal = (userId: number) => Error;
export const addMembers = (group: Group, users: readonly User[], refusal?: Refusal) =>
  changeMembers("add_members", group, users, refusal);
export const removeMembers = (group: Group, users: readonly User[], refusal?: Refusal) =>
  changeMembers("remove_members", group, users, refusal);

/** Adds and removes direct subgroups. The graph is written conditionally, so that concurrent changes cannot create a cycle. */
export async function changeSubgroups(
  group: Group,
  idsToAdd: readonly number[],
  idsToRemove: readonly number[],
): Promise<void> {
  const addedIds = [...new Set(idsToAdd)];
  await checkSubgroups(addedIds);
  await retryOnConflict(
    async () => {
      const graph = await findGroupGraph();
      const before = graph.subgroups[group.id] ?? [];
      for (const id of idsToRemove)
        if (!before.includes(id)) throw badRequest(`User group ${id} is not a subgroup of this group.`);
      for (const id of addedIds) {
        if (before.includes(id)) throw badRequest(`User group ${id} is already a subgroup of this group.`);
        if (withSubgroups(id, graph).has(group.id))
          throw badRequest(`User group ${group.id} is already a subgroup of one of the passed subgroups.`);
      }
      const after = [...before.filter((id) => !idsToRemove.includes(id)), ...addedIds];
      if (addedIds.length > 0) checkNesting(group.id, { subgroups: { ...graph.subgroups, [group.id]: after } });
      const events = [
        ...(addedIds.length > 0
          ? [groupEvent({ op: "add_subgroups", group_id: group.id, direct_subgroup_ids: addedIds })]
          : []),
        ...(idsToRemove.length > 0
          ? [groupEvent({ op: "remove_subgroups", group_id: group.id, direct_subgroup_ids: [...new Set(idsToRemove)] })]
          : []),
      ];
      const [graphWrite, groupWrite] = setSubgroups(group.id, after, graph);
      const checks = addedIds.filter((id) => !isSystemGroup(id)).map(checkGroupActive);
      const record = auditRecord("group_members_changed", {
        ...{ groupId: group.id, name: group.name },
        ...{ before: { direct_subgroup_ids: before }, after: { direct_subgroup_ids: after } },
      });
      await commit({
        writes: [graphWrite, ...[groupWrite, ...checks].map((write) => withRefusal(write, groupIsDeactivated)), record],
        events,
      });
    },
    { exhausted: () => badRequest("The groups were changed by another request; try again.") },
  );
}

/** Checks that groups may become subgroups. */
export async function checkSubgroups(ids: readonly number[]): Promise<void> {
  for (const [index, group] of (await findGroups(ids)).entries()) {
    if (!group) throw badRequest(`Invalid user group ID: ${ids[index]}`);
    if (group.deactivated) throw groupIsDeactivated();
  }
}
