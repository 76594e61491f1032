import { expect, test } from "vitest";
import { ownEventsOf } from "../support/log.ts";
import { aPerson, call, costTest, type Person } from "../support/world.ts";

const snippetsOf = async (person: Person) => (await person.call("GET", "/saved_snippets")).body.saved_snippets;
const save = async (person: Person, title = "Title", content = "Content") =>
  (await person.call("POST", "/saved_snippets", { title, content })).body.saved_snippet_id as number;

test("a saved snippet is trimmed, and only listed for its owner", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const before = Math.floor(Date.now() / 1000);

  const saved = await rosalind.call("POST", "/saved_snippets", { title: " Epilogue ", content: "\n*If it be true*\n" });

  expect(saved.body).toEqual({ result: "success", msg: "", saved_snippet_id: expect.any(Number) });
  const [snippet] = await snippetsOf(rosalind);
  expect(snippet).toEqual({
    id: saved.body.saved_snippet_id,
    title: "Epilogue",
    content: "*If it be true*",
    date_created: expect.any(Number),
  });
  expect(snippet.date_created).toBeGreaterThanOrEqual(before);
  expect(await snippetsOf(celia)).toEqual([]);
});

test("each change causes an event for the owner alone", async () => {
  const rosalind = await aPerson("Rosalind");
  let id = 0;

  const events = await ownEventsOf(rosalind, "saved_snippets", async () => {
    id = await save(rosalind);
    await rosalind.do("PATCH", `/saved_snippets/${id}`, { title: "New" });
    await rosalind.do("PATCH", `/saved_snippets/${id}`);
    await rosalind.do("DELETE", `/saved_snippets/${id}`);
  });

  const snippet = { id, title: "Title", content: "Content", date_created: expect.any(Number) };
  expect(events).toEqual([
    { type: "saved_snippets", op: "add", saved_snippet: snippet },
    { type: "saved_snippets", op: "update", saved_snippet: { ...snippet, title: "New" } },
    { type: "saved_snippets", op: "remove", saved_snippet_id: id },
  ]);
});

test("an edit changes only the given fields", async () => {
  const rosalind = await aPerson("Rosalind");
  const id = await save(rosalind);

  const title = await rosalind.call("PATCH", `/saved_snippets/${id}`, { title: " Prologue " });
  const content = await rosalind.call("PATCH", `/saved_snippets/${id}`, { content: " text " });

  expect([title.body, content.body]).toEqual([
    { result: "success", msg: "" },
    { result: "success", msg: "" },
  ]);
  expect(await snippetsOf(rosalind)).toMatchObject([{ id, title: "Prologue", content: "text" }]);
});

test("concurrent edits of different fields both take effect", async () => {
  const rosalind = await aPerson("Rosalind");
  const id = await save(rosalind);

  await Promise.all([
    rosalind.do("PATCH", `/saved_snippets/${id}`, { title: "T" }),
    rosalind.do("PATCH", `/saved_snippets/${id}`, { content: "C" }),
  ]);

  expect(await snippetsOf(rosalind)).toMatchObject([{ title: "T", content: "C" }]);
});

test("a deleted snippet is not listed, and deleting it again returns 404", async () => {
  const rosalind = await aPerson("Rosalind");
  const id = await save(rosalind);

  const deleted = await rosalind.call("DELETE", `/saved_snippets/${id}`);
  const again = await rosalind.call("DELETE", `/saved_snippets/${id}`);

  expect(deleted.body).toEqual({ result: "success", msg: "" });
  expect(again).toMatchObject({ status: 404, body: { code: "BAD_REQUEST", msg: "Saved snippet does not exist." } });
  expect(await snippetsOf(rosalind)).toEqual([]);
});

test.each(["PATCH", "DELETE"])(
  "another user's snippet gives the same error as a nonexistent one: %s",
  async (method) => {
    const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
    const id = await save(rosalind);

    const ofAnotherUser = await celia.call(method, `/saved_snippets/${id}`, { title: "Mine" });
    const unknown = await celia.call(method, "/saved_snippets/99999999", { title: "Mine" });
    const malformed = await celia.call(method, "/saved_snippets/x", { title: "Mine" });

    expect(ofAnotherUser).toMatchObject({
      status: 404,
      body: { code: "BAD_REQUEST", msg: "Saved snippet does not exist." },
    });
    expect(unknown.body).toMatchObject({ code: "BAD_REQUEST", msg: "Saved snippet does not exist." });
    expect(malformed).toMatchObject({ status: 400, body: { msg: "saved_snippet_id is not an integer" } });
    expect(await snippetsOf(rosalind)).toMatchObject([{ title: "Title" }]);
  },
);

const refusals: [string, Record<string, string>, string][] = [
  ["a blank title", { title: " ", content: "c" }, "title cannot be blank"],
  ["a blank content", { title: "t", content: "\n" }, "content cannot be blank"],
  ["a long title", { title: "é".repeat(61), content: "c" }, "title is too long (limit: 60 characters)"],
  ["a long content", { title: "t", content: "x".repeat(10_001) }, "content is too long (limit: 10000 characters)"],
  ["a null byte", { title: "t\0", content: "c" }, "title must not contain null bytes"],
];

test.each(refusals)("refuses %s when saving and when editing", async (_, params, msg) => {
  const rosalind = await aPerson("Rosalind");
  const id = await save(rosalind);

  const saved = await rosalind.call("POST", "/saved_snippets", params);
  const edited = await rosalind.call("PATCH", `/saved_snippets/${id}`, params);

  expect(saved).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
  expect(edited).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
  expect(await snippetsOf(rosalind)).toMatchObject([{ title: "Title", content: "Content" }]);
});

test("titles and contents of the maximum length in code points are accepted", async () => {
  const rosalind = await aPerson("Rosalind");

  await save(rosalind, "😀".repeat(60), "😀".repeat(10_000));

  const [{ title, content }] = await snippetsOf(rosalind);
  expect([[...title].length, [...content].length]).toEqual([60, 10_000]);
});

test.each(["title", "content"])("saving needs a %s", async (name) => {
  const rosalind = await aPerson("Rosalind");

  const { body } = await rosalind.call("POST", "/saved_snippets", { title: "t", content: "c", [name]: undefined });

  expect(body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: name });
});

test("a user has at most a hundred snippets", async () => {
  const rosalind = await aPerson("Rosalind");
  const ids: number[] = [];
  // Ten at a time: all requests change the same item, and a request gives up after a number of conflicts.
  for (let start = 0; start < 100; start += 10)
    ids.push(
      ...(await Promise.all(Array.from({ length: 10 }, (_, index) => save(rosalind, `Snippet ${start + index}`)))),
    );

  const refused = await rosalind.call("POST", "/saved_snippets", { title: "t", content: "c" });
  await rosalind.do("DELETE", `/saved_snippets/${ids[0]}`);
  const accepted = await rosalind.call("POST", "/saved_snippets", { title: "t", content: "c" });

  const msg = "You can save at most 100 snippets; delete one first.";
  expect(refused).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
  expect(accepted.status).toBe(200);
  expect(await snippetsOf(rosalind)).toHaveLength(100);
});

test("requests without credentials are refused", async () => {
  for (const [method, path] of [
    ["GET", "/saved_snippets"],
    ["POST", "/saved_snippets"],
    ["PATCH", "/saved_snippets/1"],
    ["DELETE", "/saved_snippets/1"],
  ] as const)
    expect(await call(method, path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("saving a snippet costs 1 read and 8 write units, editing it 2 and 5, deleting it 2 and 7", async () => {
  const rosalind = await aPerson("Rosalind");

  const saved = await rosalind.call("POST", "/saved_snippets", { title: "t", content: "c" });
  const path = `/saved_snippets/${saved.body.saved_snippet_id}`;
  const edited = await rosalind.call("PATCH", path, { title: "u" });
  const deleted = await rosalind.call("DELETE", path);

  expect(saved.cost).toMatchObject({ readUnits: 1, writeUnits: 8 });
  expect(edited.cost).toMatchObject({ readUnits: 2, writeUnits: 5 });
  expect(deleted.cost).toMatchObject({ readUnits: 2, writeUnits: 7 });
});
