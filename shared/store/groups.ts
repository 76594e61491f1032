import type { GroupSetting } from "../groups/values.ts";
import { padded } from "./keys.ts";
import { getItem, getItems, queryItems } from "./table.ts";
import { check, create, put, type Write } from "./writes.ts";

export interface Group {
  id: number;
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
export const checkGroupActive = (id: number): Write => check(key(id), { equals: { deactivated: false } });

export const listGroups = async () => queryItems<Group>({ pk: "GROUPS", to: padded(Number.MAX_SAFE_INTEGER) });

export const findGroupGraph = async (): Promise<GroupGraph> =>
  (await getItem<GroupGraph>(graphKey)) ?? { subgroups: {} };

/** Fails its transaction when the name is taken, ignoring case. */
export const createGroup = (group: Group): Write[] => [
  create({ ...key(group.id), ...group }),
  create({ ...claimKey(group.name), groupId: group.id }),
];

export const putGroupGraph = (graph: GroupGraph): Write => put({ ...graphKey, ...graph });
