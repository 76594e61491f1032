import { notFound } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { nullable, optional, string, type Values } from "../../base/schema/params.ts";
import { nobody } from "../../base/schema/system-groups.ts";
import { addGroup, deactivateGroup, groupChange, groupChangedMeanwhile } from "../../core/user-groups/actions.ts";
import { defaultGroupSettings } from "../../core/user-groups/defaults.ts";
import { addMembers, groupEvent, removeMembers } from "../../core/user-groups/membership.ts";
import { checkGroupName } from "../../core/user-groups/names.ts";
import { checkMembersAdded } from "../../core/user-groups/totals.ts";
import { leadingItems } from "../../services/http/reply-size.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { commit } from "../../store/log/log.ts";
import {
  findGroup,
  findGroupGraph,
  findGroupIdsByName,
  type Group,
  listGroups,
  setSubgroupsInGraph,
} from "../../store/organization/groups.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { ConditionFailed } from "../../store/table/transactions.ts";
import { findByExternalId, findScimLink, type ScimLink } from "../../store/users/scim-links.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { type Assigned, assignAll, assignByOperation, checkedValues, operationsIn } from "./changes.ts";
import { readFilter } from "./filter.ts";
import { changeLink, externalIdTaken, linkAfter, linkWrites } from "./links.ts";
import { attributePath, idIn, isObject, scimError, scimPath, taken } from "./protocol.ts";
import { findResource } from "./resources.ts";

/** User groups with their direct members as SCIM's groups; system groups, whose members follow from roles, are left out. */

/** A user group, and what the SCIM client knows of it. */
interface ScimGroup {
  group: Group;
  link: ScimLink | undefined;
}

const attributes = {
  displayname: optional(string({ max: 1000, allowBlank: false })),
  externalid: optional(nullable(string({ max: 512, allowBlank: false }))),
};

/** What a request changes. */
interface GroupFields extends Values<typeof attributes> {
  /** The IDs of the members that the group shall have, given those that it has; absent: they stay. */
  members?: (current: ReadonlySet<number>) => Set<number>;
}

const membersPath = "members";

export function groupFieldsIn(body: Record<string, unknown>): GroupFields {
  const assigned: Assigned = new Map();
  assignAll(assigned, body);
  const members = assigned.get(membersPath);
  if (members === undefined) return fieldsOf(assigned);
  const ids = memberIdsIn(members);
  return { ...fieldsOf(assigned), members: () => new Set(ids) };
}

/** Operations on members are applied in their order to the members that the group then has. */
export function patchedGroupFields(body: Record<string, unknown>): GroupFields {
  const assigned: Assigned = new Map();
  const edits: ((ids: Set<number>) => void)[] = [];
  for (const operation of operationsIn(body)) {
    const { op, path, value } = operation;
    if (path === undefined) {
      assignByOperation(assigned, operation);
      const sent = assigned.get(membersPath);
      if (sent !== undefined) edits.push(memberEdit(op, memberIdsIn(sent)));
      assigned.delete(membersPath);
    } else if (attributePath(path)?.split(".")[0] === membersPath) {
      edits.push(memberEdit(op, memberIdsNamedBy(path, op, value)));
    } else assignByOperation(assigned, operation);
  }
  if (assigned.get("displayname") === null) throw scimError("mutability", "displayName cannot be removed");
  const fields = fieldsOf(assigned);
  if (edits.length === 0) return fields;
  return {
    ...fields,
    members: (current) => {
      const ids = new Set(current);
      for (const edit of edits) edit(ids);
      return ids;
    },
  };
}

function fieldsOf(assigned: Assigned): Values<typeof attributes> {
  if (assigned.get("displayname") === null) assigned.delete("displayname");
  return checkedValues(assigned, attributes);
}

type Members = readonly number[] | ((id: number) => boolean);

const memberEdit = (op: string, members: Members) => (ids: Set<number>) => {
  if (op === "replace") ids.clear();
  if (typeof members === "function") {
    for (const id of ids) if (members(id)) ids.delete(id);
  } else if (op === "remove") for (const id of members) ids.delete(id);
  else for (const id of members) ids.add(id);
};

/** `members[value eq "7"]`, or, as Entra removes members, the path `members` with a list of them. */
function memberIdsNamedBy(path: string, op: string, value: unknown): Members {
  const [, filterText] = /\[(.*)\]/s.exec(path) ?? [];
  if (filterText === undefined)
    return op === "remove" && (value === undefined || value === null) ? () => true : memberIdsIn(value);
  if (op !== "remove") throw scimError("invalidPath", "Members can be removed by a filter, and nothing else");
  const filter = readFilter(filterText);
  const isNamed = (id: number) => filter.matches(toMember(id, ""));
  const namedId = idIn(filter.requiredValue("value") ?? "");
  return namedId === undefined ? isNamed : [namedId].filter(isNamed);
}

function memberIdsIn(value: unknown): number[] {
  const members: unknown[] = value === null ? [] : Array.isArray(value) ? value : [value];
  if (members.length > limits.listLength)
    throw scimError("invalidValue", `A request can name at most ${limits.listLength} members`);
  return members.map((member) => {
    const { value: id, type = "User" }: Record<string, unknown> = isObject(member)
      ? Object.fromEntries(Object.entries(member).map(([name, each]) => [name.toLowerCase(), each]))
      : {};
    if (typeof type === "string" && type.toLowerCase() === "group")
      throw scimError("invalidValue", "A group cannot have groups as members");
    const userId = typeof id === "string" ? idIn(id) : undefined;
    if (userId === undefined) throw scimError("invalidValue", "A member's value must be a user's id");
    return userId;
  });
}

const toMember = (id: number, baseUrl: string) => ({
  value: String(id),
  $ref: `${baseUrl}${scimPath}/Users/${id}`,
});

/** A group's resource; `baseUrl` is the server's address. */
export function toScimGroup({ group, link }: ScimGroup, baseUrl: string) {
  const memberIds = [...(group.members ?? [])].sort((a, b) => a - b);
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    id: String(group.id),
    ...(link?.externalId !== undefined && { externalId: link.externalId }),
    displayName: group.name,
    ...(memberIds.length > 0 && { members: memberIds.map((id) => toMember(id, baseUrl)) }),
    meta: {
      resourceType: "Group",
      ...(group.createdAt !== null && { created: new Date(group.createdAt * 1000).toISOString() }),
      location: `${baseUrl}${scimPath}/Groups/${group.id}`,
    },
  };
}

const findGroupId = async (name: string): Promise<number | undefined> => (await findGroupIdsByName([name]))[0];

/** Finding one costs 2 read units, and more for many members. */
export const scimGroups = {
  kind: "Group",
  find: findGroup,
  show: (group: Group, link: ScimLink | undefined): ScimGroup | undefined =>
    group.isSystem || group.deactivated ? undefined : { group, link },
} as const;

/** By a name or external ID, 3 read units; otherwise all groups are read. */
export const scimGroupListing = {
  resources: scimGroups,
  list: listGroups,
  requiredName: (requiredValue: (path: string) => string | undefined) => requiredValue("displayname"),
  findIdByName: findGroupId,
  toResource: toScimGroup,
  // Groups may have many members: a page has as many groups as fit.
  fitting: leadingItems,
} as const;

/** What nobody but the client and those who manage all groups may change or leave. */
const settings = { ...defaultGroupSettings(null), canLeaveGroup: nobody };

/**
 * Creates a group, which the SCIM client alone manages and nobody leaves, or brings back one of the name that was deactivated.
 */
export async function createScimGroup(fields: GroupFields): Promise<ScimGroup> {
  if (fields.displayname === undefined) throw scimError("invalidValue", "displayName is missing");
  const name = checkGroupName(fields.displayname);
  const members = await accessUsers(fields.members?.(new Set()) ?? new Set());
  const holderId = await findGroupId(name);
  const holder = holderId === undefined ? undefined : await findGroup(holderId);
  if (holder && (holder.isSystem || !holder.deactivated)) throw nameTaken(name);
  await freeExternalId(fields, holder?.id);
  if (holder) return changeScimGroup(await bringBack(holder.id, name, fields), { members: () => new Set(), ...fields });
  const newGroup = { name, description: "", members, subgroupIds: [], settings };
  const group = await addGroup(null, newGroup, (id) =>
    linkWrites("Group", undefined, linkAfter(id, undefined, fields)),
  );
  return { group, link: linkAfter(group.id, undefined, fields) };
}

/** Reactivates a group as the client's own: its creator has no more rights in it, and it has no subgroups. */
const bringBack = (id: number, name: string, fields: GroupFields): Promise<ScimGroup> =>
  retryOnConflict(
    async () => {
      const [group, link, graph] = await Promise.all([findGroup(id), findScimLink("Group", id), findGroupGraph()]);
      if (!group?.deactivated) throw nameTaken(name);
      const changes = { name, deactivated: false, creatorId: null, subgroupIds: [], settings };
      const changedLink = linkAfter(id, link, fields);
      const formerIds = graph.subgroups[id] ?? [];
      const hadSubgroups = formerIds.length > 0;
      const extra = {
        writes: [
          ...(hadSubgroups ? setSubgroupsInGraph(id, [], graph) : []),
          ...linkWrites("Group", link, changedLink),
        ],
        events: hadSubgroups
          ? [groupEvent({ op: "remove_subgroups", group_id: id, direct_subgroup_ids: formerIds })]
          : [],
      };
      await commit(await groupChange(group, changes, extra));
      return { group: { ...group, ...changes }, link: changedLink };
    },
    { exhausted: groupChangedMeanwhile },
  );

/** Refuses the external ID of another group; takes it from one that is hidden from the client. 1 read unit. */
async function freeExternalId({ externalid: externalId }: GroupFields, ownId: number | undefined): Promise<void> {
  const holderId = typeof externalId === "string" ? await findByExternalId("Group", externalId) : undefined;
  if (holderId === undefined || holderId === ownId) return;
  if (await findResource(scimGroups, holderId)) throw externalIdTaken();
  await changeLink("Group", await findScimLink("Group", holderId), { id: holderId });
}

/** Changes a group to the given values. Everything is checked first; repeating an interrupted request completes it. */
export async function changeScimGroup({ group, link }: ScimGroup, fields: GroupFields): Promise<ScimGroup> {
  const name = fields.displayname === undefined ? group.name : checkGroupName(fields.displayname);
  const holderId = name === group.name ? group.id : await findGroupId(name);
  if (holderId !== undefined && holderId !== group.id) throw nameTaken(name);
  const planned = await planMembers(group, fields);
  await checkMembersAdded(planned.added.length);
  await freeExternalId(fields, group.id);
  if (name !== group.name) await changeFields(group.id, { name });
  const members = await changeMembers(group, fields, planned);
  return {
    group: { ...group, name, members },
    link: await changeLink("Group", link, linkAfter(group.id, link, fields)),
  };
}

/** The members that a group shall have, and those to add and to remove. */
async function planMembers({ members: current = new Set() }: Group, fields: GroupFields) {
  const wanted = fields.members?.(current) ?? current;
  const [added, removed] = await Promise.all([
    accessUsers(wanted.difference(current)),
    findUsers([...current.difference(wanted)]),
  ]);
  return { wanted, added, removed: removed.filter((user) => user !== undefined) };
}

/** Makes the planned changes. Where others have changed members since the plan, what remains is planned and done again. */
function changeMembers(
  group: Group,
  fields: GroupFields,
  planned: Awaited<ReturnType<typeof planMembers>>,
): Promise<Set<number>> {
  let plan: typeof planned | undefined = planned;
  const meanwhile = () => new ConditionFailed();
  return retryOnConflict(
    async () => {
      const { wanted, added, removed } = plan ?? (await planMembers((await findGroup(group.id)) ?? group, fields));
      plan = undefined;
      await addMembers(group, added, meanwhile);
      await removeMembers(group, removed, meanwhile);
      return wanted;
    },
    { exhausted: groupChangedMeanwhile },
  );
}

/** Changes a group's own fields, unless others change it again and again. */
const changeFields = (id: number, changes: Pick<Group, "name">): Promise<void> =>
  retryOnConflict(
    async () => {
      const group = await findGroup(id);
      if (!group) throw notFound(`There is no group ${id}`);
      await commit(await groupChange(group, changes));
    },
    { exhausted: groupChangedMeanwhile },
  );

/** Deactivates a group, which must not be in use by a permission or another group. */
export async function deleteScimGroup({ group, link }: ScimGroup): Promise<void> {
  await deactivateGroup(group, loadRealm);
  await changeLink("Group", link, { id: group.id });
}

/** The users with these IDs, or throws. */
async function accessUsers(ids: ReadonlySet<number>): Promise<User[]> {
  const listed = [...ids];
  return (await findUsers(listed)).map((user, index) => {
    if (!user) throw scimError("invalidValue", `There is no user ${listed[index]}`);
    return user;
  });
}

const nameTaken = (name: string) => taken(`There is a group ${name} already`);
