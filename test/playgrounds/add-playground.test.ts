import { expect, test } from "vitest";
import { playgroundsKey } from "../../shared/store/organization/short-lists.ts";
import { editShortList } from "../support/table/short-lists.ts";
import { aPerson, type Person } from "../support/world.ts";

const rust = { pygments_language: "Rust", url_template: "https://play.test/?code={code}" };
const add = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/realm/playgrounds", { ...rust, name: `Rust ${Math.random()}`, ...params });
const refused = (msg: string) => ({ status: 400, body: { result: "error", code: "BAD_REQUEST", msg } });

test.each([
  [{ name: "x".repeat(1001) }, "name is too long (limit: 1000 characters)"],
  [{ pygments_language: "x".repeat(41) }, "pygments_language is too long (limit: 40 characters)"],
  [
    { url_template: `https://play.test/{code}${"x".repeat(1000)}` },
    "url_template is too long (limit: 1000 characters)",
  ],
])("a name, language or template over its maximum length is refused", async (params, msg) => {
  const portia = await aPerson("Portia", { role: "administrator" });

  expect(await add(portia, params)).toMatchObject(refused(msg));
});

test("names, languages and templates of the maximum length are accepted", async () => {
  const portia = await aPerson("Portia", { role: "administrator" });
  const beginning = "https://play.test/{code}";
  const longest = {
    name: `${Math.random()}`.padEnd(1000, "é"),
    pygments_language: "x".repeat(40),
    url_template: beginning.padEnd(1000, "x"),
  };

  const { body } = await add(portia, longest);

  const { realm_playgrounds } = (await portia.call("POST", "/register", { event_types: ["realm_playgrounds"] })).body;
  expect(realm_playgrounds).toContainEqual({ id: body.id, ...longest });
  await portia.do("DELETE", `/realm/playgrounds/${body.id}`);
});

test("a playground with the same language and name, or the 201st, is refused", async () => {
  const portia = await aPerson("Portia", { role: "administrator" });
  const name = `Twice ${Math.random()}`;
  const { id } = (await add(portia, { name })).body;

  expect(await add(portia, { name })).toMatchObject(
    refused("A playground with this language and name already exists."),
  );
  await editShortList(playgroundsKey, ({ entries, lastId }) => {
    const fillers = Array.from({ length: 199 }, (_, index) => ({
      ...{ id: lastId + 1 + index, name: `${index}` },
      ...{ language: "Filler", urlTemplate: "https://a.test/{code}" },
    }));
    return { entries: [...entries, ...fillers], lastId: lastId + 199 };
  });
  const refusal = await add(portia);
  await editShortList(playgroundsKey, ({ entries }) => ({
    entries: entries.filter(({ language }) => language !== "Filler"),
  }));

  expect(refusal).toMatchObject(refused("An organization can have at most 200 code playgrounds."));
  expect((await portia.call("DELETE", `/realm/playgrounds/${id}`)).body).toEqual({ result: "success", msg: "" });
});
