import { afterEach, beforeAll, expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let portia: Person;
beforeAll(async () => {
  portia = await aPerson("Portia", { role: "administrator" });
});

/** Fields belong to the whole organization, so each test removes its own, unless it has done so already. */
const createdIds: number[] = [];
afterEach(async () => {
  for (const id of createdIds.splice(0)) await portia.call("DELETE", `/realm/profile_fields/${id}`);
});

const add = async (params: Record<string, unknown>) => {
  const reply = await portia.call("POST", "/realm/profile_fields", { name: `Field ${Math.random()}`, ...params });
  if (reply.status === 200) createdIds.push(reply.body.id);
  return reply;
};
const fieldOf = async (id: number) =>
  (await portia.call("GET", "/realm/profile_fields")).body.custom_fields.find(
    (field: { id: number }) => field.id === id,
  );

test("adding a field causes an event for everybody", async () => {
  const nerissa = await aPerson("Nerissa");
  const end = await logEnd();
  const name = `Casket ${Math.random()}`;

  const added = await add({ name: ` ${name} `, hint: "gold?", field_type: 1, display_in_profile_summary: true });

  const { id } = added.body;
  const field = {
    id,
    type: 1,
    order: expect.any(Number),
    name,
    hint: "gold?",
    field_data: "",
    required: false,
    editable_by_user: true,
    display_in_profile_summary: true,
  };
  expect(added.body).toEqual({ result: "success", msg: "", id: expect.any(Number) });
  expect(await fieldOf(id)).toEqual(field);
  const { body } = await nerissa.call("POST", "/register", { event_types: ["custom_profile_fields"] });
  expect(body.custom_profile_fields).toContainEqual(field);
  expect(body.custom_profile_field_types.SHORT_TEXT).toEqual({ id: 1, name: "Text (short)" });
  const received = await eventsAfter(end, "custom_profile_fields", ({ fields }) =>
    JSON.stringify(fields).includes(name),
  );
  expect(received[0]).toMatchObject({ audience: { kind: "everyone" }, event: { fields: expect.any(Array) } });
});

test("a field can be edited partially, and removed", async () => {
  const choices = { a: { text: "Gold", order: "1" }, b: { text: "Lead", order: "2" } };
  const { id } = (await add({ field_type: 3, field_data: choices, hint: "h", required: true })).body;

  const edited = await portia.call("PATCH", `/realm/profile_fields/${id}`, { editable_by_user: false });
  const kept = await fieldOf(id);
  await portia.do("PATCH", `/realm/profile_fields/${id}`, {
    field_data: { a: choices.a },
    hint: "",
    required: false,
  });
  const changed = await fieldOf(id);
  const removed = await portia.call("DELETE", `/realm/profile_fields/${id}`);

  expect([edited.body, removed.body]).toEqual([
    { result: "success", msg: "" },
    { result: "success", msg: "" },
  ]);
  expect(kept).toMatchObject({
    hint: "h",
    required: true,
    editable_by_user: false,
    field_data: JSON.stringify(choices),
  });
  expect(changed).toMatchObject({ hint: "", required: false, field_data: JSON.stringify({ a: choices.a }) });
  expect(await fieldOf(id)).toBeUndefined();
});

test("fields can be reordered, and an order that repeats or omits a field is refused", async () => {
  await add({ field_type: 1 });
  await add({ field_type: 1 });
  const ids: number[] = (await portia.call("GET", "/realm/profile_fields")).body.custom_fields.map(
    ({ id }: { id: number }) => id,
  );

  const reordered = await portia.call("PATCH", "/realm/profile_fields", { order: ids.toReversed() });
  const repeating = await portia.call("PATCH", "/realm/profile_fields", { order: [...ids, ids[0]] });
  const incomplete = await portia.call("PATCH", "/realm/profile_fields", { order: ids.slice(1) });

  expect(reordered.body).toEqual({ result: "success", msg: "" });
  expect([repeating.body.msg, incomplete.body.msg]).toEqual(["Invalid order mapping.", "Invalid order mapping."]);
});

test.each<[Record<string, unknown>, string]>([
  [{ name: " ", field_type: 1 }, "Label cannot be blank."],
  [{ name: "x".repeat(41), field_type: 1 }, "name is too long (limit: 40 characters)"],
  [{ hint: "x".repeat(81), field_type: 1 }, "hint is too long (limit: 80 characters)"],
  [{ field_type: 9 }, "Invalid field_type"],
  [{}, "Missing 'field_type' argument"],
  [{ field_type: 3 }, "Field must have at least one choice."],
  [
    { field_type: 3, field_data: { a: { text: "", order: "1" } } },
    'field_data["a"]["text"] must be 1 to 50 characters',
  ],
  [{ field_type: 3, field_data: { a: { text: "x" } } }, 'field_data["a"]["order"] is not a string'],
  [
    { field_type: 3, field_data: { a: { text: "x", order: "1" }, b: { text: "x", order: "2" } } },
    "Field must not have duplicate choices.",
  ],
  [{ field_type: 7, field_data: { subtype: "nowhere" } }, "Invalid external account type"],
  [
    { field_type: 7, field_data: { subtype: "custom", url_pattern: "https://x.test/" } },
    "URL pattern must contain '%(username)s'.",
  ],
  [
    { field_type: 7, field_data: { subtype: "custom", url_pattern: "javascript:%(username)s" } },
    "url_pattern is not a URL",
  ],
  [{ field_type: 2, display_in_profile_summary: true }, "Field type not supported for display in profile summary."],
  [{ field_type: 1, required: "x" }, "required is not a boolean"],
])("adding a field refuses %j", async (params, msg) => {
  expect(await add(params)).toMatchObject({ status: 400, body: { msg } });
});

test("a name that is taken is refused, and so is changing or removing an unknown field", async () => {
  const name = `Twice ${Math.random()}`;
  await add({ name, field_type: 1 });

  expect(await add({ name, field_type: 2 })).toMatchObject({
    body: { msg: "A field with that label already exists." },
  });
  for (const method of ["PATCH", "DELETE"])
    expect(await portia.call(method, "/realm/profile_fields/99999999")).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Field id 99999999 not found." },
    });
});

test("members, and requests without credentials, are refused", async () => {
  const nerissa = await aPerson("Nerissa");
  const routes = [
    ["POST", "/realm/profile_fields"],
    ["PATCH", "/realm/profile_fields"],
    ["PATCH", "/realm/profile_fields/1"],
    ["DELETE", "/realm/profile_fields/1"],
  ] as const;

  for (const [method, path] of routes) {
    expect(await nerissa.call(method, path)).toMatchObject({ body: { code: "UNAUTHORIZED_PRINCIPAL" } });
    expect(await call(method, path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  }
  expect(await call("GET", "/realm/profile_fields")).toMatchObject({ status: 401 });
});

test("keys of choices are limited to 100 characters, and all fields must fit into one item", async () => {
  const choices = (key: string) =>
    Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`${index}${key}`, { text: `${index}`.padEnd(50, "ö"), order: "1" }]),
    );
  expect(await add({ field_type: 3, field_data: choices("k".repeat(98)) })).toMatchObject({
    status: 400,
    body: { msg: "'value' is too long (limit: 100 characters)" },
  });

  const replies = [];
  for (let index = 0; index < 12 && replies.at(-1)?.status !== 400; index++)
    replies.push(await add({ field_type: 3, field_data: choices("ö".repeat(90)) }));

  expect(replies.at(-1)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "The list is too large to be stored: shorten an entry or remove one." },
  });
  expect((await portia.call("GET", "/realm/profile_fields")).status).toBe(200);
});
