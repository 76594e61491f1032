import { beforeAll, expect, test } from "vitest";
import { recordLog } from "../support/channel-log.ts";
import { scim } from "../support/outside/scim-client.ts";
import { token, unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** User groups that the SCIM client of a company creates and fills. */

const schema = "urn:ietf:params:scim:schemas:core:2.0:Group";
let owner: Person;
let people: Person[];
beforeAll(async () => {
  owner = await aPerson("Olivia", { role: "owner" });
  people = await Promise.all(["Viola", "Feste", "Maria"].map((name) => aPerson(name)));
});

const asMembers = (members: readonly Person[]) => members.map(({ id }) => ({ value: String(id) }));
const aScimGroup = async (members: readonly Person[], fields: Record<string, unknown> = {}) => {
  const group = { schemas: [schema], displayName: unique("Illyria"), externalId: `00g${token()}`, ...fields };
  return (await scim("POST", "/Groups", { ...group, members: asMembers(members) })).body;
};
const patch = (id: string, ...Operations: unknown[]) =>
  scim("PATCH", `/Groups/${id}`, { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations });
/** The group as people see it. */
const groupOf = async (id: string) =>
  (await owner.do("GET", "/user_groups", { include_deactivated_groups: true })).user_groups.find(
    (group: any) => group.id === Number(id),
  );
const memberIds = async (id: string) => (await groupOf(id)).members;
const idsOf = (members: readonly Person[]) => members.map(({ id }) => id).sort((a, b) => a - b);

test("a group that is created has its members, who hear of it and write where it may write", async () => {
  const [viola, feste] = people as [Person, Person];
  const log = await recordLog();

  const group = await aScimGroup([viola]);

  expect(group).toMatchObject({ schemas: [schema], members: [{ value: String(viola.id) }] });
  expect((await scim("GET", `/Groups/${group.id}`)).body).toEqual(group);
  const [event] = await log.eventsFor(feste, ["user_group"]);
  expect(event).toMatchObject({ op: "add", group: { name: group.displayName, members: [viola.id], creator_id: null } });
  const channel = await aChannel("court", people);
  const can_send_message_group = JSON.stringify({ new: Number(group.id) });
  await owner.do("PATCH", `/streams/${channel.id}`, { can_send_message_group });
  const write = async (person: Person) =>
    (await person.call("POST", "/messages", { type: "channel", to: channel.id, topic: "t", content: "Hi" })).status;
  expect([await write(viola), await write(feste)]).toEqual([200, 400]);
  expect((await viola.call("POST", `/user_groups/${group.id}/members`, { delete: [viola.id] })).status).toBe(400);
});

test("Entra and Okta add, remove and replace members, and each change that changes nothing succeeds", async () => {
  const [viola, feste, maria] = people as [Person, Person, Person];
  const { id } = await aScimGroup([viola]);
  const results: unknown[] = [];
  const after = async (...operations: unknown[]) => {
    const { status } = await patch(id, ...operations);
    results.push([status, await memberIds(id)]);
  };

  await after({ op: "Add", path: "members", value: asMembers([viola, feste, maria]) });
  await after({ op: "Remove", path: "members", value: asMembers([maria]) });
  await after({ op: "remove", path: `members[value eq "${feste.id}"]` });
  await after({ op: "remove", path: `members[value eq "${feste.id}"]` });
  await after({ op: "replace", path: "members", value: asMembers([maria, feste]) });
  await after(
    { op: "add", value: { members: { value: String(viola.id) } } },
    { op: "remove", path: "members", value: asMembers([feste]) },
  );
  await after({ op: "remove", path: "members" });

  const lists = [people, [viola, feste], [viola], [viola], [feste, maria], [viola, maria], []];
  expect(results).toEqual(lists.map((list) => [204, idsOf(list)]));
});

test("Okta renames a group and replaces it whole, and a filter finds it by its name and external ID", async () => {
  const group = await aScimGroup(people);
  const [renamed, again] = [unique("Orsino's court"), unique("Olivia's court")];

  const patched = await patch(group.id, { op: "replace", value: { id: group.id, displayName: renamed } });
  const found = await scim(
    "GET",
    `/Groups?filter=${encodeURIComponent(`displayName eq "${renamed.toUpperCase()}"`)}&excludedAttributes=members`,
  );
  const replaced = await scim("PUT", `/Groups/${group.id}`, { ...group, displayName: again, members: [] });
  const byExternalId = await scim("GET", `/Groups?filter=${encodeURIComponent(`externalId eq "${group.externalId}"`)}`);

  const { members: _, ...withoutMembers } = group;
  expect([patched.status, found.body.Resources]).toEqual([204, [{ ...withoutMembers, displayName: renamed }]]);
  expect(replaced.body).toEqual({ ...withoutMembers, displayName: again });
  expect(byExternalId.body.Resources).toEqual([replaced.body]);
  expect(await groupOf(group.id)).toMatchObject({ name: again, members: [] });
});

test("a group that is deleted is deactivated and gone for the client, unless it is in use, and can be created again", async () => {
  const group = await aScimGroup(people);
  const channel = await aChannel("hall", people);
  const allow = (id: number) =>
    owner.do("PATCH", `/streams/${channel.id}`, { can_send_message_group: JSON.stringify({ new: id }) });
  await allow(Number(group.id));
  const inUse = await scim("DELETE", `/Groups/${group.id}`);
  const other = await aScimGroup([]);
  await allow(Number(other.id));

  const deleted = await scim("DELETE", `/Groups/${group.id}`);

  expect([inUse.status, inUse.body.detail]).toEqual([400, "Cannot deactivate user group in use."]);
  expect([deleted.status, (await groupOf(group.id)).deactivated]).toEqual([204, true]);
  expect((await scim("GET", `/Groups/${group.id}`)).status).toBe(404);
  const { id, members } = await aScimGroup(people.slice(0, 1), { displayName: group.displayName });
  expect([id, members.length, (await groupOf(id)).deactivated]).toEqual([group.id, 1, false]);
});

test("a group that was deactivated in the chat is brought back as the client's own, and blocks no external ID", async () => {
  const [viola] = people as [Person, ...Person[]];
  const [others, inner] = [await aScimGroup([]), await aScimGroup([])];
  const name = unique("Viola's friends");
  const subgroups = JSON.stringify([Number(inner.id)]);
  await owner.do("POST", "/user_groups/create", {
    name,
    description: "",
    members: JSON.stringify([viola.id]),
    subgroups,
  });
  const { id } = (await owner.do("GET", "/user_groups")).user_groups.find((group: any) => group.name === name);
  const can_manage_group = JSON.stringify({ new: { direct_members: [viola.id], direct_subgroups: [] } });
  await owner.do("PATCH", `/user_groups/${id}`, { can_manage_group });
  await owner.do("POST", `/user_groups/${id}/deactivate`);
  await owner.do("POST", `/user_groups/${others.id}/deactivate`);
  const log = await recordLog();

  const group = await aScimGroup([], { displayName: name, externalId: others.externalId });

  expect(group).toMatchObject({ id: String(id), externalId: others.externalId });
  expect(await groupOf(group.id)).toMatchObject({ creator_id: null, direct_subgroup_ids: [], members: [] });
  const events = await log.eventsFor(owner, ["user_group"]);
  expect(events).toContainEqual(
    expect.objectContaining({ op: "remove_subgroups", group_id: id, direct_subgroup_ids: [Number(inner.id)] }),
  );
  expect((await viola.call("POST", `/user_groups/${id}/members`, { add: JSON.stringify([viola.id]) })).status).toBe(
    400,
  );
  await owner.do("POST", `/user_groups/${id}/deactivate`);
  expect(await aScimGroup([viola], group)).toMatchObject({ ...group, members: [{ value: String(viola.id) }] });
});

test("requests that add the same members at once all succeed", async () => {
  const { id } = await aScimGroup([]);

  const replies = await Promise.all(
    people.map((person) => patch(id, { op: "add", path: "members", value: asMembers([person, ...people]) })),
  );

  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 204));
  expect(await memberIds(id)).toEqual(idsOf(people));
});

test("a name or external ID that another group has, unknown members, groups in groups and system groups are refused", async () => {
  const [one, other] = [await aScimGroup(people), await aScimGroup([])];
  const systemGroup = (await owner.do("GET", "/user_groups")).user_groups.find((group: any) => group.is_system_group);
  const added = (member: unknown) => patch(other.id, { op: "add", path: "members", value: [member] });

  const taken = [
    await scim("POST", "/Groups", { displayName: one.displayName }),
    await patch(other.id, { op: "replace", path: "displayName", value: one.displayName.toUpperCase() }),
    await scim("POST", "/Groups", { displayName: unique("x"), externalId: one.externalId }),
  ];
  const invalid = [
    await added({ value: "999999999" }),
    await added({ value: "me" }),
    await added({ value: one.id, type: "Group" }),
    await added(7),
    await patch(other.id, { op: "replace", path: 'members[value eq "1"]', value: [] }),
    await patch(other.id, { op: "remove", path: `members[value eq "${"\n".repeat(40)}]` }),
    await patch(other.id, { op: "remove", path: "displayName" }),
    await scim("POST", "/Groups", { displayName: "@all" }),
    await scim("POST", "/Groups", {}),
  ];
  const missing = [await scim("GET", `/Groups/${systemGroup.id}`), await scim("DELETE", `/Groups/${systemGroup.id}`)];

  expect(taken.map(({ status, body }) => [status, body.scimType])).toEqual(taken.map(() => [409, "uniqueness"]));
  expect(invalid.map(({ status }) => status)).toEqual(invalid.map(() => 400));
  expect(missing.map(({ status }) => status)).toEqual([404, 404]);
  expect((await scim("GET", `/Groups/${other.id}`)).body).toEqual(other);
});
