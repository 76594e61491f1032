import { expect, test } from "vitest";
import { roleNumbers, roles } from "../../shared/base/schema/roles.ts";
import {
  everyone,
  fullMembers,
  members,
  nobody,
  owners,
  systemGroups,
} from "../../shared/base/schema/system-groups.ts";
import { isPermitted, needsGraph, type PermissionHolder } from "../../shared/services/permissions/rules.ts";
import { fc } from "../support/random.ts";

const holder = (changes: Partial<PermissionHolder> = {}): PermissionHolder => ({
  id: 5,
  role: roles.member,
  joinedAt: 0,
  groupIds: new Set(),
  ...changes,
});
const noGraph = { subgroups: {} };
/** IDs below this are those of the system groups. */
const firstUserDefinedId = 9;

test("a role has the permissions of its own system group and of the groups that contain it", () => {
  const groupsOf = (role: PermissionHolder["role"]) =>
    systemGroups.filter(({ id }) => isPermitted(holder({ role }), id, noGraph, 0)).map(({ name }) => name);

  expect(groupsOf(roles.owner)).toEqual(systemGroups.slice(1).map(({ name }) => name));
  expect(groupsOf(roles.moderator)).toEqual([
    "role:moderators",
    "role:fullmembers",
    "role:members",
    "role:everyone",
    "role:internet",
  ]);
  expect(groupsOf(roles.guest)).toEqual(["role:everyone", "role:internet"]);
});

test("a member becomes a full member after the waiting period, and a moderator always is one", () => {
  const now = Date.now() / 1000;
  expect(isPermitted(holder({ joinedAt: now - 2 * 86_400 }), fullMembers, noGraph, 3)).toBe(false);
  expect(isPermitted(holder({ joinedAt: now - 4 * 86_400 }), fullMembers, noGraph, 3)).toBe(true);
  expect(isPermitted(holder({ joinedAt: now, role: roles.moderator }), fullMembers, noGraph, 3)).toBe(true);
});

test("system groups are evaluated without the group graph, user-defined groups with it", () => {
  expect([nobody, owners, everyone].map((id) => needsGraph(id))).toEqual([false, false, false]);
  expect(needsGraph(firstUserDefinedId)).toBe(true);
  expect(needsGraph({ direct_members: [5], direct_subgroups: [members] })).toBe(false);
  expect(needsGraph({ direct_members: [], direct_subgroups: [12] })).toBe(true);
});

test("evaluation terminates on a graph with cycles", () => {
  const graph = { subgroups: { 9: [10], 10: [9] } };

  expect(isPermitted(holder(), 9, graph, 0)).toBe(false);
  expect(isPermitted(holder({ groupIds: new Set([10]) }), 9, graph, 0)).toBe(true);
});

/** The definition: a value includes a user if a chain of subgroups leads from the value to the user. */
function includesByDefinition(
  person: PermissionHolder,
  id: number,
  graph: Record<string, number[]>,
  depth = 0,
): boolean {
  if (depth > 20) return false;
  const system = systemGroups.find((group) => group.id === id);
  if (system) return "role" in system && person.role <= system.role;
  return (
    person.groupIds.has(id) || (graph[id] ?? []).some((inner) => includesByDefinition(person, inner, graph, depth + 1))
  );
}

test("membership in any acyclic graph equals reachability", () => {
  const groupIds = Array.from({ length: 10 }, (_, index) => firstUserDefinedId + index);
  // Edges only lead to later groups or to system groups, so the graph has no cycles.
  const graphs = fc.tuple(
    ...groupIds.map((id) => fc.subarray([...groupIds.filter((other) => other > id), nobody, owners, members])),
  );
  const people = fc.record({
    role: fc.constantFrom(...roleNumbers),
    memberOf: fc.subarray(groupIds, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(graphs, people, fc.constantFrom(...groupIds), (edges, { role, memberOf }, groupId) => {
      const subgroups = Object.fromEntries(groupIds.map((id, index) => [id, edges[index] as number[]]));
      const person = holder({ role, groupIds: new Set(memberOf) });
      expect(isPermitted(person, groupId, { subgroups }, 0)).toBe(includesByDefinition(person, groupId, subgroups));
      const anonymousGroup = { direct_members: [], direct_subgroups: [groupId] };
      expect(isPermitted(person, anonymousGroup, { subgroups }, 0)).toBe(
        includesByDefinition(person, groupId, subgroups),
      );
    }),
    { numRuns: 300 },
  );
});
