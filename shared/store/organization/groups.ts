import { nameKey } from "../../base/name-key.ts";
import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { check, create, put, type Refusal, remove, update, type Write } from "../table/writes.ts";

export interface Group {
  id: number;
  /** For optimistic concurrency: each change to the group's own fields increments it. */
  version?: number;
  /** Set while a deactivation checks whether the group is in use, so that no permission starts to use it meanwhile. */
  retiring?: boolean;
  name: string;
  description: string;
  /** UNIX seconds. */
  createdAt: number | null;
  creatorId: number | null;
  /** Direct members; absent for a system group, whose members follow from their roles. */
  members?: Set<number>;
  subgroupIds: number[];
  isSystem: boolean;
  deactivated: boolean;
  settings: {
    canAddMembersGroup: GroupSetting;
    canJoinGroup: GroupSetting;
    canLeaveGroup: GroupSetting;
    canManageGroup: GroupSetting;
    canMentionGroup: GroupSetting;
    canRemoveMembersGroup: GroupSetting;
  };
}

/** Which groups contain which: one item for the whole organization, so that one read resolves any depth of nesting. */
export interface GroupGraph {
  /** Group ID -> IDs of its direct subgroups; system groups are not stored here. */
  subgroups: Record<string, number[]>;
  /** For optimistic concurrency: each change increments it, so that concurrent changes cannot form a cycle. */
  version?: number;
}

const key = (id: number) => ({ pk: "GROUPS", sk: padded(id) });
const graphKey = { pk: "GROUPS", sk: "GRAPH" };
const claimKey = (name: string) => ({ pk: `GROUPNAME#${nameKey(name)}`, sk: "CLAIM" });

export const findGroup = (id: number) => getItem<Group>(key(id));

/** In the order of `ids`, undefined where there is none. 1 read unit each. */
export const findGroups = (ids: readonly number[]) => getItems<Group>(ids.map(key));

/** The IDs of the groups with these names, ignoring case, in the order of `names`. 1 read unit each. */
export const findGroupIdsByName = async (names: readonly string[]) =>
  (await getItems<{ groupId: number }>(names.map(claimKey))).map((claim) => claim?.groupId);

/** Fails its transaction when the group is, or is being, deactivated, so that it gets no new permission. 2 write units. */
export const checkGroupActive = (id: number): Write =>
  check(key(id), { equals: { deactivated: false, retiring: undefined } });

export const listGroups = () => queryItems<Group>({ pk: "GROUPS", to: padded(Number.MAX_SAFE_INTEGER) });

export const findGroupGraph = async (): Promise<GroupGraph> =>
  (await getItem<GroupGraph>(graphKey)) ?? { subgroups: {} };

/** Fails its transaction when the name is taken, ignoring case. */
export const createGroup = (group: Group, nameTaken?: Refusal): Write[] => [
  claimGroupName(group.name, group.id, nameTaken),
  create({ ...key(group.id), ...group }),
];

const claimGroupName = (name: string, groupId: number, nameTaken?: Refusal): Write => ({
  ...create({ ...claimKey(name), groupId }),
  ...(nameTaken && { refusal: nameTaken }),
});

/** Changes a group's own fields; fails when another request has changed them since they were read. */
export const updateGroup = ({ id, version }: Pick<Group, "id" | "version">, set: Partial<Group>): Write =>
  update(key(id), { set: { ...set, version: (version ?? 0) + 1 }, remove: ["retiring"] }, { equals: { version } });

/** Makes `checkGroupActive` fail until the next `updateGroup`. */
export const markGroupRetiring = ({ id, version }: Pick<Group, "id" | "version">): Write =>
  update(key(id), { set: { retiring: true, version: (version ?? 0) + 1 } }, { equals: { version } });

/** Reserves the new name and releases the old one; fails its transaction when the new one is taken. */
export const renameGroupClaim = (id: number, from: string, to: string, nameTaken: Refusal): Write[] =>
  nameKey(from) === nameKey(to)
    ? []
    : [claimGroupName(to, id, nameTaken), remove(claimKey(from), { equals: { groupId: id } })];

/**
 * Adds members to the group's item; the same transaction must add the group to their accounts (`joinGroup`). Fails when the
 * group has been deactivated.
 */
export const addGroupMembers = (id: number, userIds: readonly number[]): Write =>
  update(key(id), { add: { members: new Set(userIds) } }, { equals: { deactivated: false } });

export const removeGroupMembers = (id: number, userIds: readonly number[]): Write =>
  update(key(id), { subtract: { members: new Set(userIds) } }, { equals: { deactivated: false } });

/** Sets a group's direct subgroups, in its item and in the graph; fails when the graph has changed since it was read. */
export const setSubgroups = (id: number, subgroupIds: readonly number[], graph: GroupGraph): [Write, Write] => [
  put(
    {
      ...graphKey,
      subgroups: { ...graph.subgroups, [id]: [...subgroupIds] },
      version: (graph.version ?? 0) + 1,
    },
    graph.version === undefined ? { exists: false } : { equals: { version: graph.version } },
  ),
  update(key(id), { set: { subgroupIds: [...subgroupIds] } }, { equals: { deactivated: false } }),
];

/** Sets a group's direct subgroups in the graph alone, where the same transaction writes the group's own item otherwise. */
export const setSubgroupsInGraph = (id: number, subgroupIds: readonly number[], graph: GroupGraph): Write[] =>
  setSubgroups(id, subgroupIds, graph).slice(0, 1);
