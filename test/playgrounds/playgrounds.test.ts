import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, type Person } from "../support/world.ts";

const rust = {
  name: `Rust ${Math.random()}`,
  pygments_language: "Rust",
  url_template: "https://play.test/?code={code}",
};
const add = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/realm/playgrounds", { ...rust, name: `Rust ${Math.random()}`, ...params });
const playgroundsFor = async (person: Person): Promise<any[]> =>
  (await person.call("POST", "/register", { event_types: ["realm_playgrounds"] })).body.realm_playgrounds;

test("adding and removing a playground each send everybody an event with the new list", async () => {
  const [portia, gratiano] = [await aPerson("Portia", { role: "administrator" }), await aPerson("Gratiano")];
  const end = await logEnd();

  const added = await add(portia, { name: ` ${rust.name} ` });
  const { id } = added.body;
  const listed = (await playgroundsFor(gratiano)).find((playground) => playground.id === id);
  const removed = await portia.call("DELETE", `/realm/playgrounds/${id}`);

  expect(added.body).toEqual({ result: "success", msg: "", id: expect.any(Number) });
  expect(listed).toEqual({ id, ...rust });
  expect(removed.body).toEqual({ result: "success", msg: "" });
  expect((await playgroundsFor(gratiano)).filter((playground) => playground.id === id)).toEqual([]);
  const events = await eventsAfter(end, "realm_playgrounds", () => true);
  const isListedIn = ({ event }: (typeof events)[number]) => event.realm_playgrounds.some((one) => one.id === id);
  expect(events.map((entry) => [entry.audience.kind, isListedIn(entry)])).toEqual([
    ["everyone", true],
    ["everyone", false],
  ]);
});

test.each([
  [{ name: " " }, "name cannot be blank"],
  [{ pygments_language: " " }, "pygments_language cannot be blank"],
  [{ pygments_language: "C%" }, "Invalid characters in pygments language"],
  [{ url_template: "" }, "Invalid URL template."],
  [{ url_template: "https://play.test/{code" }, "Invalid URL template."],
  [{ url_template: "javascript:{code}" }, "Invalid URL template."],
  [{ url_template: "https://play.test/" }, 'Missing the required variable "code" in the URL template'],
  [{ url_template: "https://play.test/{code}{x}" }, 'The URL template has the unknown variable "x"'],
  [{ name: "x".repeat(1001) }, "name is too long (limit: 1000 characters)"],
])("adding refuses %j", async (params, msg) => {
  const portia = await aPerson("Portia", { role: "administrator" });

  expect(await add(portia, params)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
});

test.each(["name", "pygments_language", "url_template"])("adding needs a %s", async (name) => {
  const portia = await aPerson("Portia", { role: "administrator" });

  expect((await add(portia, { [name]: undefined })).body).toMatchObject({
    code: "REQUEST_VARIABLE_MISSING",
    var_name: name,
  });
});

test("a second playground with the same language and name is refused, and so is removing an unknown one", async () => {
  const portia = await aPerson("Portia", { role: "administrator" });
  const name = `Twice ${Math.random()}`;
  const first = await add(portia, { name });

  const second = await add(portia, { name });
  await portia.do("DELETE", `/realm/playgrounds/${first.body.id}`);
  const removedAgain = await portia.call("DELETE", `/realm/playgrounds/${first.body.id}`);

  expect(second).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  expect(removedAgain).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid playground" } });
});

test("members, and requests without credentials, are refused", async () => {
  const gratiano = await aPerson("Gratiano");

  expect(await add(gratiano)).toMatchObject({ status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL" } });
  expect(await gratiano.call("DELETE", "/realm/playgrounds/1")).toMatchObject({
    body: { code: "UNAUTHORIZED_PRINCIPAL" },
  });
  expect(await call("POST", "/realm/playgrounds")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("DELETE", "/realm/playgrounds/1")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});
