import { expect, test } from "vitest";
import { aPerson, type Person } from "../support/world.ts";

const viewsOf = async (person: Person) => (await person.call("GET", "/navigation_views")).body.navigation_views;
const edit = (person: Person, fragment: string, params: Record<string, unknown>) =>
  person.call("PATCH", `/navigation_views/${fragment}`, params);
const refused = (msg: string, status = 400) => ({ status, body: { result: "error", code: "BAD_REQUEST", msg } });
const stage = { fragment: "narrow/channel/1-stage", is_pinned: false, name: "Stage" };

async function aPersonWith(...views: Record<string, unknown>[]): Promise<Person> {
  const orlando = await aPerson("Orlando");
  for (const view of views) await orlando.do("POST", "/navigation_views", view);
  return orlando;
}

test("a view can be renamed and pinned, separately or together", async () => {
  const orlando = await aPersonWith(stage);

  for (const [params, expected] of [
    [{ name: "é".repeat(100) }, { ...stage, name: "é".repeat(100) }],
    [{ is_pinned: true }, { ...stage, name: "é".repeat(100), is_pinned: true }],
    [
      { name: "Scene", is_pinned: false },
      { ...stage, name: "Scene" },
    ],
    [{}, { ...stage, name: "Scene" }],
  ] as const) {
    expect((await edit(orlando, stage.fragment, params)).body).toEqual({ result: "success", msg: "" });
    expect(await viewsOf(orlando)).toEqual([expected]);
  }
});

test("an invalid edit is refused with the same errors as adding a view, and changes nothing", async () => {
  const inbox = { fragment: "inbox", is_pinned: true };
  const orlando = await aPersonWith(stage, { ...stage, fragment: "elsewhere", name: "Other" }, inbox);
  const before = await viewsOf(orlando);

  for (const [fragment, params, msg] of [
    [stage.fragment, { name: " " }, "Custom views must have a valid name."],
    [stage.fragment, { name: "x".repeat(101) }, "name is too long (limit: 100 characters)"],
    [stage.fragment, { name: "Other" }, "Navigation view with this name already exists."],
    ["inbox", { name: "In" }, "Built-in views cannot have a custom name."],
    [stage.fragment, { is_pinned: "yes" }, "is_pinned is not a boolean"],
    ["x".repeat(256), { is_pinned: true }, "fragment is too long (limit: 255 characters)"],
  ] as const)
    expect(await edit(orlando, fragment, params)).toMatchObject(refused(msg));
  expect(await edit(orlando, "nowhere", { is_pinned: true })).toMatchObject(
    refused("Navigation view does not exist.", 404),
  );

  expect(await viewsOf(orlando)).toEqual(before);
});

test("fragments of 255 letters are accepted, longer ones are refused", async () => {
  const [longest, longer] = ["é".repeat(255), "é".repeat(256)];
  const orlando = await aPersonWith({ ...stage, fragment: longest });
  const tooLong = refused("fragment is too long (limit: 255 characters)");
  const path = (fragment: string) => `/navigation_views/${encodeURIComponent(fragment)}`;

  expect(await orlando.call("POST", "/navigation_views", { ...stage, fragment: longer })).toMatchObject(tooLong);
  expect(await orlando.call("DELETE", path(longer))).toMatchObject(tooLong);
  expect(await viewsOf(orlando)).toMatchObject([{ fragment: longest }]);
  expect((await orlando.call("DELETE", path(longest))).body).toEqual({ result: "success", msg: "" });
});
