import { batchesOf } from "../../base/batches.ts";
import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { ApiError, badRequest } from "../../base/errors.ts";
import { isSystemGroup, systemGroups } from "../../base/schema/system-groups.ts";
import { nowSeconds } from "../../base/time.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listChannels } from "../../store/channels/channels.ts";
import { type Change, type ChangePart, commit, noChange } from "../../store/log/log.ts";
import { auditRecord, difference } from "../../store/organization/audit-log.ts";
import {
  checkGroupActive,
  createGroup,
  findGroup,
  findGroupGraph,
  type Group,
  listGroups,
  markGroupRetiring,
  renameGroupClaim,
  setSubgroupsInGraph,
  updateGroup,
} from "../../store/organization/groups.ts";
import { retryOnConflict, succeeds } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { takeIds } from "../../store/table/counters.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";
import { joinGroup, leaveGroup } from "../../store/users/accounts.ts";
import type { User } from "../../store/users/users.ts";
import { defaultGroupSettings } from "./defaults.ts";
import { groupEvent } from "./membership.ts";
import { checkGroupCount, groupAlreadyExists } from "./names.ts";
import { groupIsDeactivated } from "./permissions.ts";
import { referencedGroups } from "./settings.ts";
import { checkGroupListBytes, checkNesting, groupBytes } from "./totals.ts";
import { findUsages } from "./usage.ts";
import { settingNames, toGroupSettingsWire, toGroupWire } from "./wire.ts";

interface NewGroup {
  name: string;
  description: string;
  members: readonly User[];
  subgroupIds: readonly number[];
  settings: Partial<Group["settings"]>;
}

/** How many members' accounts are updated in the transaction that creates the group, which also contains group checks. */
const maxMembersAtOnce = 45;
/** For the other accounts; DynamoDB allows 100 items in one transaction. */
const maxAccountsPerBatch = 95;

/**
 * Creates a group with its members. With many members, most accounts are updated before: their membership has no effect
 * until the group exists. `composeWrites`: what else the group's own transaction writes.
 */
export async function addGroup(
  creatorId: number | null,
  fields: NewGroup,
  composeWrites: (id: number) => Write[] = () => [],
): Promise<Group> {
  const id = await takeIds("group");
  // Groups are deactivated and never deleted, and their IDs are consecutive.
  if (id > systemGroups.length + creationLimits.userGroup.max) throw badRequest(tooMany("userGroup"));
  const group: Group = {
    id,
    version: 1,
    name: fields.name,
    description: fields.description,
    createdAt: nowSeconds(),
    creatorId,
    ...(fields.members.length > 0 && { members: new Set(fields.members.map((user) => user.id)) }),
    subgroupIds: [...fields.subgroupIds],
    isSystem: false,
    deactivated: false,
    settings: { ...defaultGroupSettings(creatorId), ...fields.settings },
  };
  const referencedIds = checkGroupCount(
    [...new Set([...referencedGroups(Object.values(group.settings)), ...group.subgroupIds])].filter(
      (groupId) => !isSystemGroup(groupId),
    ),
  );
  await checkGroupListBytes(groupBytes(group));
  const emails = fields.members.map(({ email }) => email);
  const [firstEmails, remainingEmails] = [emails.slice(0, maxMembersAtOnce), emails.slice(maxMembersAtOnce)];
  for (const batch of batchesOf(remainingEmails, maxAccountsPerBatch))
    await transact(batch.map((email) => joinGroup(email, id)));
  return retryOnConflict(async () => {
    const graph = await findGroupGraph();
    if (group.subgroupIds.length > 0) checkNesting(id, { subgroups: { ...graph.subgroups, [id]: group.subgroupIds } });
    const graphWrites = group.subgroupIds.length > 0 ? setSubgroupsInGraph(id, group.subgroupIds, graph) : [];
    try {
      await commit({
        writes: [
          ...createGroup(group, () => groupAlreadyExists(fields.name)),
          ...graphWrites,
          ...composeWrites(id),
          auditRecord("group_created", {
            ...{ groupId: id, name: group.name },
            after: {
              members: [...(group.members ?? [])],
              direct_subgroup_ids: group.subgroupIds,
              ...toGroupSettingsWire(group.settings),
            },
          }),
          ...firstEmails.map((email) => joinGroup(email, id)),
          ...referencedIds.map((groupId) => withRefusal(checkGroupActive(groupId), groupIsDeactivated)),
        ],
        events: [groupEvent({ op: "add", group: toGroupWire(group) })],
      });
      return group;
    } catch (error) {
      if (error instanceof ApiError)
        for (const batch of batchesOf(remainingEmails, maxAccountsPerBatch))
          await transact(batch.map((email) => leaveGroup(email, id)));
      throw error;
    }
  });
}

/** The change of a group's own fields with its event, and `extra`. Conflicts if the group has changed since it was read. */
export async function groupChange(
  before: Group,
  changes: Partial<Group>,
  extra: ChangePart = noChange,
): Promise<Change> {
  const after = { ...before, ...changes };
  const changedSettings = Object.entries(settingNames).flatMap(([wire, name]) =>
    before.settings[name] === after.settings[name] ? [] : [[wire, after.settings[name]] as const],
  );
  await checkGroupListBytes(groupBytes(after) - groupBytes(before));
  const data = {
    ...(before.name !== after.name && { name: after.name }),
    ...(before.description !== after.description && { description: after.description }),
    ...(before.deactivated !== after.deactivated && { deactivated: after.deactivated }),
    ...Object.fromEntries(changedSettings),
  };
  const referencedIds = checkGroupCount(
    referencedGroups(changedSettings.map(([, value]) => value)).filter((id) => id !== before.id),
  );
  // Clients without support for deactivated groups receive a reactivated one as new, which needs the whole object.
  const group = before.deactivated && !after.deactivated ? { group: toGroupWire(after) } : {};
  return {
    writes: [
      updateGroup(before, changes),
      ...renameGroupClaim(before.id, before.name, after.name, () => groupAlreadyExists(after.name)),
      ...referencedIds.map((id) => withRefusal(checkGroupActive(id), groupIsDeactivated)),
      auditRecord("group_changed", {
        ...{ groupId: before.id, name: after.name },
        ...difference(recordedGroup(before), recordedGroup(after)),
      }),
      ...extra.writes,
    ],
    events: [groupEvent({ op: "update", group_id: before.id, data, ...group }), ...extra.events],
  };
}

const recordedGroup = ({ name, description, deactivated, settings }: Group) => ({
  ...{ name, description, deactivated },
  ...toGroupSettingsWire(settings),
});

/**
 * Deactivates an unused group. The group is first marked as retiring, which fails new uses, and only then are its uses
 * read, strongly consistent: a use from before the mark is found, and one after it fails.
 */
export async function deactivateGroup(group: Group, loadRealm: () => Promise<Realm>): Promise<void> {
  if (!(await succeeds(transact([markGroupRetiring(group)])))) throw groupChangedMeanwhile();
  const retiringGroup = { ...group, version: (group.version ?? 0) + 1 };
  const [{ settings }, channels, groups, graph] = await Promise.all([
    loadRealm(),
    withConsistentReads(listChannels),
    listGroups(),
    findGroupGraph(),
  ]);
  const objections = findUsages(group.id, settings, channels, groups, graph);
  if (objections.length > 0) {
    await succeeds(transact([updateGroup(retiringGroup, {})]));
    throw new ApiError("CANNOT_DEACTIVATE_GROUP_IN_USE", "Cannot deactivate user group in use.", { objections });
  }
  if (!(await succeeds(groupChange(retiringGroup, { deactivated: true }).then(commit)))) {
    if ((await findGroup(group.id))?.deactivated) return;
    throw groupChangedMeanwhile();
  }
}

export const groupChangedMeanwhile = () => badRequest("The user group was changed by another request; try again.");
