import { beforeAll, expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Prospero");
});
const storageOf = async (bot: Person, keys?: string[]) =>
  (await bot.call("GET", "/bot_storage", { ...(keys && { keys }) })).body.storage;
const store = (bot: Person, storage: unknown) => bot.call("PUT", "/bot_storage", { storage });

test("a bot gets the values that it stored, and another bot does not", async () => {
  const [ariel, caliban] = await Promise.all([aBot(owner), aBot(owner)]);
  expect(await storageOf(ariel)).toEqual({});

  expect((await store(ariel, { tasks: "3", "": "nameless" })).body).toEqual({
    result: "success",
    msg: "",
  });
  await store(ariel, { tasks: "4", storm: "é".repeat(10_000) });

  expect(await storageOf(ariel)).toEqual({ tasks: "4", "": "nameless", storm: "é".repeat(10_000) });
  expect(await storageOf(ariel, ["tasks", "tasks"])).toEqual({ tasks: "4" });
  expect(await storageOf(caliban)).toEqual({});
});

test("single keys, or all keys, can be removed", async () => {
  const ariel = await aBot(owner);
  await store(ariel, { a: "1", b: "2", c: "3" });

  expect((await ariel.call("DELETE", "/bot_storage", { keys: ["a"] })).status).toBe(200);
  expect(await storageOf(ariel)).toEqual({ b: "2", c: "3" });
  expect((await ariel.call("DELETE", "/bot_storage")).status).toBe(200);
  expect(await storageOf(ariel)).toEqual({});
});

test("an unknown key is an error, and nothing is removed", async () => {
  const ariel = await aBot(owner);
  await store(ariel, { a: "1" });
  const keyMissing = { status: 400, body: { code: "BAD_REQUEST", msg: "Key does not exist." } };

  expect(await ariel.call("GET", "/bot_storage", { keys: ["a", "z"] })).toMatchObject(keyMissing);
  expect(await ariel.call("DELETE", "/bot_storage", { keys: ["a", "z"] })).toMatchObject(keyMissing);
  expect(await storageOf(ariel)).toEqual({ a: "1" });
});

test("values over the quota are refused as a whole, and freed space can be reused", async () => {
  const ariel = await aBot(owner);
  const full = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, "x".repeat(199_000)]));
  await store(ariel, full);

  expect(await store(ariel, { tiny: "1", e: "x".repeat(199_999), f: "x".repeat(10_000) })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: expect.stringMatching(/^Cannot set state\. Request would require \d+ bytes/) },
  });
  expect(await storageOf(ariel)).toEqual(full);
  await ariel.do("DELETE", "/bot_storage", { keys: ["a"] });
  expect((await store(ariel, { e: "x".repeat(199_999), f: "x".repeat(10_000) })).status).toBe(200);
});

test("values of concurrent requests are all stored", async () => {
  const ariel = await aBot(owner);
  const names = ["a", "b", "c", "d"];

  const replies = await Promise.all(names.map((name) => store(ariel, { [name]: name })));

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await storageOf(ariel)).toEqual(Object.fromEntries(names.map((name) => [name, name])));
});

test.each([
  ["a list", []],
  ["a number", { a: 1 }],
  ["an object", { a: { b: "c" } }],
  ["a value that is too long", { a: "x".repeat(200_001) }],
  ["a name that is too long", { ["x".repeat(1001)]: "" }],
  ["too many values at once", Object.fromEntries(Array.from({ length: 91 }, (_, index) => [`k${index}`, "1"]))],
])("storing %s is refused and changes nothing", async (_, storage) => {
  const ariel = await aBot(owner);

  expect(await store(ariel, storage)).toMatchObject({ status: 400, body: { result: "error", code: "BAD_REQUEST" } });
  expect(await storageOf(ariel)).toEqual({});
});

test("requests without credentials, or without required parameters, are refused", async () => {
  expect(await call("PUT", "/bot_storage", { storage: {} })).toMatchObject({ status: 401 });
  expect(await owner.call("PUT", "/bot_storage")).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: "storage" },
  });
});
