import { beforeAll, expect, test } from "vitest";
import { roles } from "../../shared/base/schema/roles.ts";
import { listen } from "../support/listener.ts";
import { aBot, anAddress } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let admin: Person;
let owner: Person;
beforeAll(async () => {
  [admin, owner] = await Promise.all([
    aPerson("Theseus", { role: "administrator" }),
    aPerson("Hippolyta", { role: "owner" }),
  ]);
});
const userOf = async ({ id }: Person) =>
  (await admin.call("GET", `/users/${id}`, { client_gravatar: false })).body.user;

test("an administrator can change a name, with an event for everyone", async () => {
  const bottom = await aPerson("Bottom");
  const listener = await listen(bottom, { event_types: ["realm_user"] });

  const { status } = await admin.call("PATCH", `/users/${bottom.id}`, { full_name: " Nick Bottom " });

  expect(status).toBe(200);
  expect(await userOf(bottom)).toMatchObject({ full_name: "Nick Bottom" });
  for (;;) {
    const event = await listener.next("realm_user");
    if (event.person.user_id !== bottom.id) continue;
    expect(event).toEqual({
      type: "realm_user",
      op: "update",
      person: { user_id: bottom.id, full_name: "Nick Bottom" },
      id: event.id,
    });
    break;
  }
});

test("the path may contain a user's address instead of the ID", async () => {
  const bottom = await aPerson("Bottom");

  await admin.do("PATCH", `/users/${bottom.email}`, { full_name: "Weaver" });

  expect(await userOf(bottom)).toMatchObject({ full_name: "Weaver" });
});

test("a new role applies from the next request on, and changes the user's system groups", async () => {
  const bottom = await aPerson("Bottom");
  const listener = await listen(admin, { event_types: ["realm_user", "user_group"] });
  expect((await bottom.call("PATCH", "/realm", {})).status).toBe(400);

  await admin.do("PATCH", `/users/${bottom.id}`, { role: roles.administrator });

  expect((await bottom.call("PATCH", "/realm", {})).status).toBe(200);
  expect(await userOf(bottom)).toMatchObject({ role: 200, is_admin: true });
  const received: any[] = [];
  while (received.length < 4) {
    await listener.poll();
    const aboutBottom = listener.received.filter(
      ({ person, user_ids }) => (person?.user_id ?? user_ids?.[0]) === bottom.id,
    );
    received.splice(0, received.length, ...aboutBottom);
  }
  expect(received.map(({ id: _, type: __, ...event }) => event)).toEqual([
    { op: "update", person: { user_id: bottom.id, role: 200 } },
    { op: "remove_members", group_id: 6, user_ids: [bottom.id] },
    { op: "remove_members", group_id: 5, user_ids: [bottom.id] },
    { op: "add_members", group_id: 3, user_ids: [bottom.id] },
  ]);
});

test("the key stays valid when the address changes, and the old address is free again", async () => {
  const bottom = await aPerson("Bottom");
  const new_email = anAddress("ass");

  const { status } = await admin.call("PATCH", `/users/${bottom.id}`, { new_email });

  expect(status).toBe(200);
  expect(await userOf(bottom)).toMatchObject({ email: new_email, delivery_email: new_email, avatar_version: 2 });
  expect((await bottom.call("GET", "/users/me")).status).toBe(401);
  const own = await bottom.call("GET", "/users/me", {}, { credentials: { email: new_email, apiKey: bottom.apiKey } });
  expect(own.body.user_id).toBe(bottom.id);
  const recreated = await admin.call("POST", "/users", {
    email: bottom.email,
    password: "a-mote-will-turn-the-balance",
    full_name: "Snug",
  });
  expect(recreated.status).toBe(200);
});

test("an address may change its case, but not become another user's", async () => {
  const [bottom, snout] = [await aPerson("Bottom"), await aPerson("Snout")];

  expect((await admin.call("PATCH", `/users/${bottom.id}`, { new_email: bottom.email.toUpperCase() })).status).toBe(
    200,
  );
  expect(await userOf(bottom)).toMatchObject({ email: bottom.email.toUpperCase() });
  expect(await admin.call("PATCH", `/users/${bottom.id}`, { new_email: snout.email })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Email '${snout.email}' already in use` },
  });
});

test("bots and deactivated users can be changed too", async () => {
  const [robot, deactivated] = [await aBot(admin), await aPerson("Gone")];
  await admin.do("DELETE", `/users/${deactivated.id}`);

  for (const { id } of [robot, deactivated])
    expect((await admin.call("PATCH", `/users/${id}`, { full_name: "Moonshine" })).status).toBe(200);
  expect(await userOf(deactivated)).toMatchObject({ full_name: "Moonshine", is_active: false });
});

test.each([
  ["a name that is too long", { full_name: "x".repeat(101) }, "Name too long!"],
  ["an invalid role", { role: 150 }, "Invalid role"],
  ["an unknown custom field", { profile_data: [{ id: 99999999, value: "x" }] }, "Field id 99999999 not found."],
  ["an invalid address", { new_email: "bottom" }, "Enter a valid email address."],
])("%s is refused", async (_, changes, msg) => {
  const bottom = await aPerson("Bottom");

  expect(await admin.call("PATCH", `/users/${bottom.id}`, changes)).toMatchObject({ status: 400, body: { msg } });
});

test("only owners can grant and revoke the owner role", async () => {
  const [bottom, second] = [await aPerson("Bottom"), await aPerson("Second", { role: "owner" })];
  const refused = { status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" } };

  expect(await admin.call("PATCH", `/users/${bottom.id}`, { role: roles.owner })).toMatchObject(refused);
  expect(await admin.call("PATCH", `/users/${second.id}`, { role: roles.member })).toMatchObject(refused);
  expect((await owner.call("PATCH", `/users/${bottom.id}`, { role: roles.owner })).status).toBe(200);
  expect((await owner.call("PATCH", `/users/${second.id}`, { role: roles.member })).status).toBe(200);
  expect((await owner.call("PATCH", `/users/${bottom.id}`, { role: roles.guest })).status).toBe(200);
});

test.each(["moderator", "member", "guest"] as const)("a %s cannot change users", async (role) => {
  const [bottom, caller] = [await aPerson("Bottom"), await aPerson("Egeus", { role })];

  for (const id of [bottom.id, caller.id])
    expect(await caller.call("PATCH", `/users/${id}`, { full_name: "Ass" })).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Insufficient permission" },
    });
});

test("changing a nonexistent user is refused", async () => {
  expect(await admin.call("PATCH", "/users/99999999", { full_name: "Fairy" })).toMatchObject({
    status: 400,
    body: { msg: "No such user" },
  });
});

test.each([
  ["address", () => ({ new_email: anAddress("usurper") })],
  ["name", () => ({ full_name: "Nobody" })],
  ["profile", () => ({ profile_data: [{ id: 1, value: "x" }] })],
])("an administrator cannot change an owner's %s", async (_, changes) => {
  const second = await aPerson("Second", { role: "owner" });

  expect(await admin.call("PATCH", `/users/${second.id}`, changes())).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" },
  });
  expect((await second.call("GET", "/users/me")).body).toMatchObject({ full_name: "Second", email: second.email });
});

test("an owner can change another owner's name", async () => {
  const second = await aPerson("Second", { role: "owner" });

  expect((await owner.call("PATCH", `/users/${second.id}`, { full_name: "Third" })).status).toBe(200);
});
