import { afterAll, beforeAll, expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let portia: Person;
const fields: Record<string, number> = {};
beforeAll(async () => {
  portia = await aPerson("Portia", { role: "administrator" });
  const types = { short: 1, long: 2, choice: 3, date: 4, url: 5, users: 6, account: 7, pronouns: 8 };
  const data: Record<string, unknown> = {
    choice: { gold: { text: "Gold", order: "1" } },
    account: { subtype: "custom", url_pattern: "https://x.test/%(username)s" },
  };
  for (const [name, field_type] of Object.entries(types)) {
    const field_data = data[name];
    const params = { name: `${name} ${portia.id}`, field_type, ...(field_data !== undefined && { field_data }) };
    fields[name] = (await portia.call("POST", "/realm/profile_fields", params)).body.id;
  }
});
afterAll(async () => {
  for (const id of Object.values(fields)) await portia.do("DELETE", `/realm/profile_fields/${id}`);
});

const fill = (person: Person, data: unknown) => person.call("PATCH", "/users/me/profile_data", { data });
const refused = (msg: string) => ({ status: 400, body: { result: "error", code: "BAD_REQUEST", msg } });
const longUrl = (length: number) => "https://venice.test/".padEnd(length, "x");

test.each<[string, unknown]>([
  ["short", "é".repeat(50)],
  ["long", "é".repeat(500)],
  ["url", longUrl(2000)],
  ["account", "x".repeat(50)],
  ["pronouns", "they".padEnd(50, "!")],
])("a field of type %s accepts a value of the maximum length", async (type, value) => {
  const antonio = await aPerson("Antonio");

  expect((await fill(antonio, [{ id: fields[type], value }])).body).toEqual({ result: "success", msg: "" });

  const { profile_data } = (await antonio.call("GET", "/users/me")).body;
  expect(profile_data[String(fields[type])].value).toBe(value);
});

test.each<[string, unknown, string]>([
  ["short", "x".repeat(51), "is too long (limit: 50 characters)"],
  ["long", "x".repeat(501), "is too long (limit: 500 characters)"],
  ["url", longUrl(2001), "is too long (limit: 2000 characters)"],
  ["account", "x".repeat(51), "is too long (limit: 50 characters)"],
  ["pronouns", "x".repeat(51), "is too long (limit: 50 characters)"],
  ["short", ["x"], "is not a string"],
  ["choice", 1, "is not a string"],
  ["date", true, "is not a string"],
  ["date", "2024-13-01", "is not a date"],
  ["url", "https://", "is not a URL"],
  ["url", "ftp://venice.test", "is not a URL"],
  ["users", 7, "is not a list of user IDs"],
  ["users", ["7"], "is not a list of user IDs"],
  ["users", Array.from({ length: 101 }, (_, id) => id), "is not a list of user IDs"],
])("a field of type %s refuses an invalid value, and the error names the field", async (type, value, problem) => {
  const antonio = await aPerson("Antonio");

  expect(await fill(antonio, [{ id: fields[type], value }])).toMatchObject(refused(`${type} ${portia.id} ${problem}`));
  expect((await antonio.call("GET", "/users/me")).body.profile_data).toEqual({});
});

test("if one value is invalid, none is stored", async () => {
  const antonio = await aPerson("Antonio");

  const reply = await fill(antonio, [
    { id: fields.short, value: "merchant" },
    { id: fields.choice, value: "silver" },
  ]);

  expect(reply).toMatchObject(refused(`'silver' is not a valid choice for 'choice ${portia.id}'.`));
  expect((await antonio.call("GET", "/users/me")).body.profile_data).toEqual({});
});

test("a users field refuses bots, deactivated users and unknown users", async () => {
  const [antonio, deactivated] = [await aPerson("Antonio"), await aPerson("Shylock")];
  const robot = await aBot(antonio);
  await portia.do("DELETE", `/users/${deactivated.id}`);

  for (const id of [robot.id, deactivated.id, 99_999_999])
    expect(await fill(antonio, [{ id: fields.users, value: [antonio.id, id] }])).toMatchObject(
      refused(`Invalid user ID: ${id}`),
    );
});

test("a request with more than fifty fields is refused, and so is any request from a bot", async () => {
  const antonio = await aPerson("Antonio");
  const robot = await aBot(antonio);
  const data = Array.from({ length: 51 }, () => ({ id: fields.short, value: "x" }));
  const botsRefused = refused("This endpoint does not accept bot requests.");

  expect(await fill(antonio, data)).toMatchObject(refused("data is too long (limit: 50 items)"));
  expect(await antonio.call("DELETE", "/users/me/profile_data", { data: data.map(({ id }) => id) })).toMatchObject(
    refused("data is too long (limit: 50 items)"),
  );
  expect(await fill(robot, [])).toMatchObject(botsRefused);
  expect(await robot.call("DELETE", "/users/me/profile_data", { data: [] })).toMatchObject(botsRefused);
});
