import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let portia: Person;
let fields: Record<"short" | "long" | "choice" | "date" | "url" | "users" | "account" | "closed", number>;
beforeAll(async () => {
  portia = await aPerson("Portia", { role: "administrator" });
  const add = async (field_type: number, params = {}): Promise<number> =>
    (await portia.call("POST", "/realm/profile_fields", { name: `F ${Math.random()}`, field_type, ...params })).body.id;
  fields = {
    short: await add(1),
    long: await add(2),
    choice: await add(3, { field_data: { gold: { text: "Gold", order: "1" }, lead: { text: "Lead", order: "2" } } }),
    date: await add(4),
    url: await add(5),
    users: await add(6),
    account: await add(7, { field_data: { subtype: "github" } }),
    closed: await add(8, { editable_by_user: false }),
  };
});
afterAll(async () => {
  for (const id of Object.values(fields)) await portia.do("DELETE", `/realm/profile_fields/${id}`);
});

const fill = (person: Person, data: unknown) => person.call("PATCH", "/users/me/profile_data", { data });
const dataOf = async (person: Person) => (await person.call("GET", "/users/me")).body.profile_data;

test("users can fill in fields of every type, and others see the values", async () => {
  const [antonio, bassanio] = [await aPerson("Antonio"), await aPerson("Bassanio")];

  const filled = await fill(antonio, [
    { id: fields.short, value: "*merchant*" },
    { id: fields.long, value: "I hold the world but as the world" },
    { id: fields.choice, value: "lead" },
    { id: fields.date, value: "1596-02-29" },
    { id: fields.url, value: "https://venice.test/antonio" },
    { id: fields.users, value: [bassanio.id, bassanio.id] },
    { id: fields.account, value: "antonio" },
  ]);

  expect(filled.body).toEqual({ result: "success", msg: "" });
  const data = {
    [fields.short]: { value: "*merchant*", rendered_value: "<p><em>merchant</em></p>" },
    [fields.long]: { value: "I hold the world but as the world", rendered_value: expect.stringContaining("<p>") },
    [fields.choice]: { value: "lead" },
    [fields.date]: { value: "1596-02-29" },
    [fields.url]: { value: "https://venice.test/antonio" },
    [fields.users]: { value: `[${bassanio.id}]` },
    [fields.account]: { value: "antonio" },
  };
  expect(await dataOf(antonio)).toEqual(data);
  const seen = await bassanio.call("GET", `/users/${antonio.id}`, { include_custom_profile_fields: true });
  expect(seen.body.user.profile_data).toEqual(data);
  const registered = await bassanio.call("POST", "/register", { event_types: ["realm_user"] });
  const listed = registered.body.realm_users.find(({ user_id }: { user_id: number }) => user_id === antonio.id);
  expect(listed.profile_data).toEqual(data);
});

test("each changed field causes an event, and an unchanged one none", async () => {
  const [antonio, bassanio] = [await aPerson("Antonio"), await aPerson("Bassanio")];
  const end = await logEnd();

  await fill(antonio, [{ id: fields.short, value: "x" }]);
  await fill(antonio, [
    { id: fields.short, value: "x" },
    { id: fields.users, value: [bassanio.id] },
  ]);
  await antonio.do("DELETE", "/users/me/profile_data", { data: [fields.short, fields.date] });

  const events = await eventsAfter(end, "realm_user", ({ person }) => person.user_id === antonio.id);
  expect(events.map(({ event }) => (event as any).person.custom_profile_field)).toEqual([
    { id: fields.short, value: "x", rendered_value: "<p>x</p>" },
    { id: fields.users, value: `[${bassanio.id}]` },
    { id: fields.short, value: null },
  ]);
  expect(await dataOf(antonio)).toEqual({ [fields.users]: { value: `[${bassanio.id}]` } });
});

test.each([null, "", []])("the value %j empties a field", async (value) => {
  const antonio = await aPerson("Antonio");
  await fill(antonio, [{ id: fields.date, value: "2000-01-01" }]);

  await fill(antonio, [{ id: fields.date, value }]);

  expect(await dataOf(antonio)).toEqual({});
});

test("concurrent changes of different fields are both stored", async () => {
  const antonio = await aPerson("Antonio");

  await Promise.all([
    fill(antonio, [{ id: fields.date, value: "2000-01-01" }]),
    fill(antonio, [{ id: fields.account, value: "antonio" }]),
  ]);

  expect(Object.keys(await dataOf(antonio))).toHaveLength(2);
});

test.each<[keyof typeof fields, unknown, RegExp]>([
  ["short", "x".repeat(51), /too long \(limit: 50 characters\)$/],
  ["short", 7, /is not a string$/],
  ["long", "x".repeat(501), /too long \(limit: 500 characters\)$/],
  ["choice", "silver", /^'silver' is not a valid choice for/],
  ["choice", "constructor", /is not a valid choice/],
  ["date", "2001-02-29", /is not a date$/],
  ["date", "yesterday", /is not a date$/],
  ["url", "javascript:alert(1)", /is not a URL$/],
  ["users", [99_999_999], /^Invalid user ID: 99999999$/],
  ["users", "x", /is not a list of user IDs$/],
  ["closed", "they", /^You are not allowed to change this field/],
])("a field of kind %s refuses the value %j", async (kind, value, msg) => {
  const antonio = await aPerson("Antonio");

  const reply = await fill(antonio, [{ id: fields[kind], value }]);

  expect(reply).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: expect.stringMatching(msg) } });
  expect(await dataOf(antonio)).toEqual({});
});

test("an administrator can fill in fields that users may not edit, for anyone", async () => {
  const antonio = await aPerson("Antonio");

  const reply = await portia.call("PATCH", `/users/${antonio.id}`, {
    profile_data: [{ id: fields.closed, value: "he" }],
  });

  expect(reply.body).toEqual({ result: "success", msg: "" });
  expect(await dataOf(antonio)).toEqual({ [fields.closed]: { value: "he" } });
});

test("unknown fields and missing parameters are named in errors, and requests without credentials are refused", async () => {
  const antonio = await aPerson("Antonio");

  const unknown = await fill(antonio, [{ id: 99_999_999, value: "x" }]);
  const deletedUnknown = await antonio.call("DELETE", "/users/me/profile_data", { data: [99_999_999] });

  expect([unknown.body.msg, deletedUnknown.body.msg]).toEqual([
    "Field id 99999999 not found.",
    "Field id 99999999 not found.",
  ]);
  for (const method of ["PATCH", "DELETE"]) {
    expect(await antonio.call(method, "/users/me/profile_data")).toMatchObject({ body: { var_name: "data" } });
    expect(await call(method, "/users/me/profile_data")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  }
});

test("values of removed fields and choices are not returned", async () => {
  const antonio = await aPerson("Antonio");
  const field_data = { a: { text: "A", order: "1" }, b: { text: "B", order: "2" } };
  const { id } = (
    await portia.call("POST", "/realm/profile_fields", { name: `G ${Math.random()}`, field_type: 3, field_data })
  ).body;
  await fill(antonio, [
    { id, value: "a" },
    { id: fields.date, value: "2000-01-01" },
  ]);

  await portia.do("PATCH", `/realm/profile_fields/${id}`, { field_data: { b: field_data.b } });
  const withoutChoice = await dataOf(antonio);
  await portia.do("DELETE", `/realm/profile_fields/${id}`);
  const withoutField = await dataOf(antonio);

  const remaining = { [fields.date]: { value: "2000-01-01" } };
  expect([withoutChoice, withoutField]).toEqual([remaining, remaining]);
});
