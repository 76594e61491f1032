import type { GroupSetting } from "../../schema/group-setting.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { check, create, put, remove, update, type Write } from "../table/writes.ts";

export interface Group {
  id: number;
  /** Grows with each change of the group's own fields, which is made only to the version that was read. */
  version?: number;
  /** While a deactivation looks whether the group is in use, nothing may begin to use it. */
  retiring?: boolean;
  name: string;
  description: string;
  /** UNIX seconds. */
  createdAt: number | null;
  creatorId: number | null;
  /** Direct members; of a system group those are derived from roles and not kept here. */
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

/** Which groups contain which: the whole of the organization in one item, so that any depth of nesting is one read. */
export interface GroupGraph {
  /** Group ID -> IDs of its direct subgroups; system groups' edges are not kept here. */
  subgroups: Record<string, number[]>;
  /** Grows with each change, which is made only to the version that was read: so no two changes make a cycle. */
  version?: number;
}

const key = (id: number) => ({ pk: "GROUPS", sk: padded(id) });
const graphKey = { pk: "GROUPS", sk: "GRAPH" };
const claimKey = (name: string) => ({ pk: `GROUPNAME#${name.toLowerCase()}`, sk: "CLAIM" });

export const findGroup = (id: number) => getItem<Group>(key(id));

/** In the order of `ids`, undefined where there is none. Strongly consistent: 1 read unit each. */
export const findGroups = (ids: readonly number[]) => getItems<Group>(ids.map(key), { consistent: true });

/** The IDs behind names, ignoring case, in their order. 0.5 read units each. */
export const findGroupIdsByName = async (names: readonly string[]) =>
  (await getItems<{ groupId: number }>(names.map(claimKey))).map((claim) => claim?.groupId);

/** Fails its transaction when the group has been deactivated: for changes that give it a permission. 2 write units. */
export const checkGroupActive = (id: number): Write =>
  check(key(id), { equals: { deactivated: false, retiring: undefined } });

export const listGroups = async ({ consistent = false } = {}) =>
  queryItems<Group>({ pk: "GROUPS", to: padded(Number.MAX_SAFE_INTEGER), consistent });

export const findGroupGraph = async ({ consistent = false } = {}): Promise<GroupGraph> =>
  (await getItem<GroupGraph>(graphKey, { consistent })) ?? { subgroups: {} };

/** Fails its transaction when the name is taken, ignoring case: the claim is the first write. */
export const createGroup = (group: Group): Write[] => [
  claimGroupName(group.name, group.id),
  create({ ...key(group.id), ...group }),
];

const claimGroupName = (name: string, groupId: number) => create({ ...claimKey(name), groupId });

/** Changes a group's own fields unless someone else has changed them since they were read. */
export const changeGroup = ({ id, version }: Pick<Group, "id" | "version">, set: Partial<Group>): Write =>
  update(key(id), { set: { ...set, version: (version ?? 0) + 1 }, remove: ["retiring"] }, { equals: { version } });

/** Lets nothing begin to use a group until its next change. */
export const retireGroup = ({ id, version }: Pick<Group, "id" | "version">): Write =>
  update(key(id), { set: { retiring: true, version: (version ?? 0) + 1 } }, { equals: { version } });

/** Moves the claim of a group's name; fails its transaction when the new one is taken. */
export const renameGroupClaim = (id: number, from: string, to: string): Write[] =>
  from.toLowerCase() === to.toLowerCase()
    ? []
    : [claimGroupName(to, id), remove(claimKey(from), { equals: { groupId: id } })];

/** The group's side of a membership; the account's goes with it. Fails when the group has been deactivated. */
export const addGroupMembers = (id: number, userIds: readonly number[]): Write =>
  update(key(id), { add: { members: new Set(userIds) } }, { equals: { deactivated: false } });

export const removeGroupMembers = (id: number, userIds: readonly number[]): Write =>
  update(key(id), { subtract: { members: new Set(userIds) } }, { equals: { deactivated: false } });

/** Sets a group's direct subgroups, in its item and in the graph; fails when the graph has been changed since. */
export const setSubgroups = (id: number, subgroupIds: readonly number[], graph: GroupGraph): Write[] => [
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

/** The graph's part of a new group. */
export const addToGraph = (id: number, subgroupIds: readonly number[], graph: GroupGraph): Write[] =>
  setSubgroups(id, subgroupIds, graph).slice(0, 1);
