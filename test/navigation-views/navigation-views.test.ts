import { expect, test } from "vitest";
import { ownEventsOf } from "../support/log.ts";
import { aPerson, call, costTest, type Person } from "../support/world.ts";

const viewsOf = async (person: Person) => (await person.call("GET", "/navigation_views")).body.navigation_views;
const starred = { fragment: "narrow/is/starred", is_pinned: true };
const custom = { fragment: "narrow/channel/1-stage", is_pinned: false, name: "Stage" };

test("views are private, listed in the order of addition, and returned at registration", async () => {
  const [orlando, adam] = [await aPerson("Orlando"), await aPerson("Adam")];

  const added = await orlando.call("POST", "/navigation_views", starred);
  await orlando.do("POST", "/navigation_views", custom);

  expect(added.body).toEqual({ result: "success", msg: "" });
  const views = [{ ...starred, name: null }, custom];
  expect(await viewsOf(orlando)).toEqual(views);
  expect(await viewsOf(adam)).toEqual([]);
  const registered = await orlando.call("POST", "/register", { event_types: ["navigation_views"] });
  expect(registered.body.navigation_views).toEqual(views);
});

test("each change causes an event for the owner, and a request without effect none", async () => {
  const orlando = await aPerson("Orlando");

  const events = await ownEventsOf(orlando, "navigation_view", async () => {
    await orlando.do("POST", "/navigation_views", custom);
    await orlando.do("PATCH", `/navigation_views/${encodeURIComponent(custom.fragment)}`, { is_pinned: true });
    await orlando.do("PATCH", `/navigation_views/${custom.fragment}`, { name: "Scene", is_pinned: true });
    await orlando.do("PATCH", `/navigation_views/${custom.fragment}`, {});
    await orlando.do("DELETE", `/navigation_views/${encodeURIComponent(custom.fragment)}`);
  });

  const { fragment } = custom;
  expect(events).toEqual([
    { type: "navigation_view", op: "add", navigation_view: custom },
    { type: "navigation_view", op: "update", fragment, data: { is_pinned: true } },
    { type: "navigation_view", op: "update", fragment, data: { name: "Scene" } },
    { type: "navigation_view", op: "remove", fragment },
  ]);
  expect(await viewsOf(orlando)).toEqual([]);
});

test.each<[string, object, object]>([
  ["a missing fragment", { is_pinned: true }, { code: "REQUEST_VARIABLE_MISSING", var_name: "fragment" }],
  ["a missing is_pinned", { fragment: "inbox" }, { code: "REQUEST_VARIABLE_MISSING", var_name: "is_pinned" }],
  ["a blank fragment", { fragment: " ", is_pinned: true }, { msg: "fragment cannot be blank" }],
  ["an is_pinned that is not a boolean", { fragment: "inbox", is_pinned: "x" }, { msg: "is_pinned is not a boolean" }],
  ["a custom view without a name", { ...custom, name: undefined }, { msg: "Custom views must have a valid name." }],
  ["a built-in view with a name", { ...starred, name: "x" }, { msg: "Built-in views cannot have a custom name." }],
  ["a long name", { ...custom, name: "x".repeat(101) }, { msg: "name is too long (limit: 100 characters)" }],
])("adding a view refuses %s", async (_, params, expected) => {
  const orlando = await aPerson("Orlando");

  const reply = await orlando.call("POST", "/navigation_views", { ...params });

  expect(reply).toMatchObject({ status: 400, body: expected });
  expect(await viewsOf(orlando)).toEqual([]);
});

test("a duplicate fragment or name is refused", async () => {
  const orlando = await aPerson("Orlando");
  await orlando.do("POST", "/navigation_views", custom);

  const sameFragment = await orlando.call("POST", "/navigation_views", { ...custom, name: "Other" });
  const sameName = await orlando.call("POST", "/navigation_views", { ...custom, fragment: "elsewhere" });

  expect(sameFragment).toMatchObject({ status: 400, body: { msg: "Navigation view already exists." } });
  expect(sameName).toMatchObject({ status: 400, body: { msg: "Navigation view with this name already exists." } });
});

test("an unknown view, or another user's, returns 404", async () => {
  const [orlando, adam] = [await aPerson("Orlando"), await aPerson("Adam")];
  await orlando.do("POST", "/navigation_views", starred);

  const edited = await adam.call("PATCH", `/navigation_views/${starred.fragment}`, { is_pinned: false });
  const removed = await adam.call("DELETE", `/navigation_views/${starred.fragment}`);

  expect(edited).toMatchObject({ status: 404, body: { code: "BAD_REQUEST", msg: "Navigation view does not exist." } });
  expect(removed).toMatchObject({ status: 404, body: { code: "BAD_REQUEST" } });
  expect(await viewsOf(orlando)).toHaveLength(1);
});

test("a user can have at most a hundred views, also with concurrent requests", async () => {
  const orlando = await aPerson("Orlando");
  const add = (index: number) =>
    orlando.call("POST", "/navigation_views", { ...custom, fragment: `${index}`, name: `${index}` });
  for (let index = 0; index < 97; index++) expect((await add(index)).status).toBe(200);

  const replies = await Promise.all(Array.from({ length: 6 }, (_, index) => add(97 + index)));

  const refused = { body: { code: "BAD_REQUEST", msg: "You can have at most 100 navigation views." } };
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(replies.filter(({ status }) => status === 400)).toMatchObject([refused, refused, refused]);
  expect(await viewsOf(orlando)).toHaveLength(100);
});

test("requests without credentials are refused", async () => {
  for (const [method, path] of [
    ["GET", "/navigation_views"],
    ["POST", "/navigation_views"],
    ["PATCH", "/navigation_views/inbox"],
    ["DELETE", "/navigation_views/inbox"],
  ] as const)
    expect(await call(method, path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("adding a view costs 2 read and 5 write units", async () => {
  const { cost } = await (await aPerson("Orlando")).call("POST", "/navigation_views", starred);

  expect(cost).toMatchObject({ readUnits: 2, writeUnits: 5 });
});
