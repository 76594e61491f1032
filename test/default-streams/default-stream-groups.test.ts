import { beforeAll, expect, test } from "vitest";
import { linkMailedTo, open, signedInCredentials, submit } from "../support/accounts.ts";
import { listen } from "../support/listener.ts";
import { anAddress } from "../support/people.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person, personWithKey } from "../support/world.ts";

let [admin, puck, guest]: Person[] = [] as unknown as [Person, Person, Person];
beforeAll(async () => {
  [admin, puck, guest] = await Promise.all([
    aPerson("Oberon", { role: "owner" }),
    aPerson("Puck"),
    aPerson("Bottom", { role: "guest" }),
  ]);
});

const callGroups = (person: Person | undefined, method: string, path: string, params: Record<string, unknown> = {}) =>
  (person as Person).call(method, `/default_stream_groups${path}`, params);
const refused = (msg: string, code = "BAD_REQUEST") => ({ body: { result: "error", code, msg } });
const shownTo = async (person: Person | undefined) =>
  (await (person as Person).call("POST", "/register", { event_types: ["default_stream_groups"] })).body
    .realm_default_stream_groups;
/** A group as members see it. */
const groupNamed = async (name: string) => (await shownTo(puck)).find((each: any) => each.name === name);
async function aGroup(names: string[] = []) {
  const name = unique("fairies");
  const { body } = await callGroups(admin, "POST", "/create", {
    group_name: name,
    description: "d",
    stream_names: names,
  });
  expect(body).toEqual({ result: "success", msg: "" });
  return groupNamed(name);
}

test("creating, changing and removing a group sends an event with all groups to everyone except guests", async () => {
  const [wood, hill] = [await aChannel("wood", [admin as Person]), await aChannel("hill", [admin as Person])];
  const [listener, outsider] = [await listen(puck as Person), await listen(guest as Person)];
  const [nameAtEnd, nameAtStart] = [unique("z"), unique("a")];
  const received = async () => (await listener.next("default_stream_groups")).default_stream_groups;

  await callGroups(admin, "POST", "/create", {
    group_name: nameAtEnd,
    description: "",
    stream_names: [hill.name, wood.name],
  });
  const [created] = (await received()).slice(-1);
  expect(created).toEqual({
    id: expect.any(Number),
    name: nameAtEnd,
    description: "",
    streams: [wood.id, hill.id].sort((a, b) => a - b),
  });
  await callGroups(admin, "PATCH", `/${created.id}`, {
    new_group_name: nameAtStart,
    new_description: "those that stay",
  });
  expect((await received())[0]).toMatchObject({ id: created.id, name: nameAtStart, description: "those that stay" });
  await callGroups(admin, "PATCH", `/${created.id}/streams`, { op: "remove", stream_names: [hill.name] });
  expect((await received())[0].streams).toEqual([wood.id]);
  await callGroups(admin, "PATCH", `/${created.id}/streams`, { op: "add", stream_names: [hill.name] });
  expect((await received())[0].streams).toContain(hill.id);
  await callGroups(admin, "DELETE", `/${created.id}`);
  expect((await received()).map(({ id }: any) => id)).not.toContain(created.id);

  expect(await shownTo(puck)).toEqual(expect.not.arrayContaining([expect.objectContaining({ id: created.id })]));
  expect(await shownTo(guest)).toEqual([]);
  expect((await outsider.poll()).filter(({ type }: any) => type === "default_stream_groups")).toEqual([]);
});

test("only administrators can create and change groups", async () => {
  const group = await aGroup();
  const denied = refused("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL");

  expect(
    await callGroups(puck, "POST", "/create", { group_name: "x", description: "", stream_names: [] }),
  ).toMatchObject(denied);
  expect(await callGroups(puck, "PATCH", `/${group.id}`, { new_group_name: "x" })).toMatchObject(denied);
  expect(await callGroups(puck, "PATCH", `/${group.id}/streams`, { op: "add", stream_names: [] })).toMatchObject(
    denied,
  );
  expect(await callGroups(puck, "DELETE", `/${group.id}`)).toMatchObject(denied);
  expect(await groupNamed(group.name)).toEqual(group);
  await callGroups(admin, "DELETE", `/${group.id}`);
});

test("empty edits, and invalid names, channels, operations and group IDs, are refused without effect", async () => {
  const [wood, green] = [await aChannel("wood", [admin as Person]), await aChannel("green", [admin as Person])];
  const closet = await aChannel("closet", [puck as Person], { inviteOnly: true });
  await admin?.do("POST", "/default_streams", { stream_id: green.id });
  const [group, other] = [await aGroup([wood.name]), await aGroup()];
  const create = (params: Record<string, unknown>) =>
    callGroups(admin, "POST", "/create", { group_name: unique("x"), description: "", stream_names: [], ...params });
  const edit = (params: Record<string, unknown>) => callGroups(admin, "PATCH", `/${group.id}`, params);
  const changeChannels = (op: string, ...stream_names: string[]) =>
    callGroups(admin, "PATCH", `/${group.id}/streams`, { op, stream_names });

  expect(await create({ group_name: " " })).toMatchObject(refused("Invalid default channel group name ' '"));
  expect(await create({ group_name: "x".repeat(61) })).toMatchObject(
    refused("Default channel group name too long (limit: 60 characters)"),
  );
  expect(await create({ group_name: group.name })).toMatchObject(
    refused(`Default channel group '${group.name}' already exists`),
  );
  expect(await create({ group_name: "y", stream_names: [green.name] })).toMatchObject(
    refused(`'${green.name}' is a default channel and cannot be added to 'y'`),
  );
  for (const name of [closet.name, "no such channel"])
    expect(await create({ stream_names: [name] })).toMatchObject(refused(`Invalid channel name '${name}'`));
  expect(await edit({})).toMatchObject(refused('You must pass "new_description" or "new_group_name".'));
  expect(await edit({ new_group_name: group.name })).toMatchObject(
    refused(`This default channel group is already named '${group.name}'`),
  );
  expect(await edit({ new_group_name: other.name })).toMatchObject(
    refused(`Default channel group '${other.name}' already exists`),
  );
  expect(await changeChannels("add", wood.name)).toMatchObject(
    refused(`Channel '${wood.name}' is already present in default channel group '${group.name}'`),
  );
  expect(await changeChannels("add", green.name)).toMatchObject(
    refused(`'${green.name}' is a default channel and cannot be added to '${group.name}'`),
  );
  expect(await changeChannels("remove", green.name)).toMatchObject(
    refused(`Channel '${green.name}' is not present in default channel group '${group.name}'`),
  );
  expect(await changeChannels("toss", wood.name)).toMatchObject(refused("Invalid op"));
  for (const reply of [
    await callGroups(admin, "DELETE", "/99999"),
    await callGroups(admin, "PATCH", "/99999", { new_description: "x" }),
    await callGroups(admin, "PATCH", "/99999/streams", { op: "add", stream_names: [] }),
  ])
    expect(reply).toMatchObject(refused("Default channel group with id '99999' does not exist."));
  expect(await groupNamed(group.name)).toEqual(group);
  await admin?.do("DELETE", "/default_streams", { stream_id: green.id });
  for (const { id } of [group, other]) await callGroups(admin, "DELETE", `/${id}`);
});

test("archiving a channel removes it from its groups, with an event", async () => {
  const [wood, hill] = [await aChannel("wood", [admin as Person]), await aChannel("hill", [admin as Person])];
  const group = await aGroup([wood.name, hill.name]);
  const listener = await listen(puck as Person);

  await admin?.do("DELETE", `/streams/${wood.id}`);

  const { default_stream_groups: received } = await listener.next("default_stream_groups");
  expect(received.find(({ id }: any) => id === group.id).streams).toEqual([hill.id]);
  expect((await groupNamed(group.name)).streams).toEqual([hill.id]);
  await callGroups(admin, "DELETE", `/${group.id}`);
});

test("a new user can choose groups, and is subscribed to their channels", async () => {
  const [wood, hill, moor] = await Promise.all(
    ["wood", "hill", "moor"].map((name) => aChannel(name, [admin as Person])),
  );
  const [fairies, lovers] = [await aGroup([wood?.name as string]), await aGroup([hill?.name as string])];
  const players = await aGroup([moor?.name as string]);
  const email = anAddress("snug");
  await admin?.do("POST", "/invites", { invitee_emails: email, stream_ids: [] });
  const path = await linkMailedTo(email, `${admin?.name} has invited you`);
  const fields = { full_name: "Snug", password: "if-music-be-the-food-of-love" };

  expect((await open(path)).bytes.toString()).toContain(`name="default_stream_group" value="${fairies.name}">`);
  const unknownGroup = await submit(path, { ...fields, default_stream_group: "none such" });
  expect([unknownGroup.status, unknownGroup.bytes.toString()]).toEqual([
    400,
    expect.stringContaining("Invalid default channel group none such"),
  ]);
  const chosenGroups = [fairies, lovers].map(({ name }): [string, string] => ["default_stream_group", name]);
  const { apiKey } = signedInCredentials(await submit(path, [...Object.entries(fields), ...chosenGroups]));

  const { subscriptions } = (await personWithKey(0, email, "Snug", apiKey).call("GET", "/users/me/subscriptions")).body;
  const ids = subscriptions.map(({ stream_id }: any) => stream_id);
  expect(ids).toEqual(expect.arrayContaining([wood?.id, hill?.id]));
  expect(ids).not.toContain(moor?.id);
  for (const { id } of [fairies, lovers, players]) await callGroups(admin, "DELETE", `/${id}`);
});
