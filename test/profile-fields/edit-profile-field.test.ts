import { afterEach, beforeAll, expect, test } from "vitest";
import { profileFieldsKey } from "../../shared/store/organization/short-lists.ts";
import { editShortList } from "../support/table/short-lists.ts";
import { aPerson, type Person } from "../support/world.ts";

let portia: Person;
beforeAll(async () => {
  portia = await aPerson("Portia", { role: "administrator" });
});

/** Fields belong to the whole organization, so each test removes its own. */
const createdIds: number[] = [];
afterEach(async () => {
  for (const id of createdIds.splice(0)) await portia.do("DELETE", `/realm/profile_fields/${id}`);
});

const add = async (params: Record<string, unknown>) => {
  const reply = await portia.call("POST", "/realm/profile_fields", { name: `Field ${Math.random()}`, ...params });
  if (reply.status === 200) createdIds.push(reply.body.id);
  return reply;
};
const aField = async (params: Record<string, unknown>): Promise<number> => (await add(params)).body.id;
const edit = (id: number, params: Record<string, unknown>) =>
  portia.call("PATCH", `/realm/profile_fields/${id}`, params);
const fieldOf = async (id: number) =>
  (await portia.call("GET", "/realm/profile_fields")).body.custom_fields.find((field: any) => field.id === id);
const refused = (msg: string) => ({ status: 400, body: { result: "error", code: "BAD_REQUEST", msg } });
const success = { result: "success", msg: "" };

test("a field's name, hint and display in the summary can be changed", async () => {
  const id = await aField({ field_type: 1 });
  const name = `é${Math.random()}`.padEnd(40, "x");

  expect((await edit(id, { name: ` ${name.slice(0, 38)}`, hint: "é".repeat(80) })).body).toEqual(success);
  expect((await edit(id, { name, display_in_profile_summary: true })).body).toEqual(success);

  expect(await fieldOf(id)).toMatchObject({ name, hint: "é".repeat(80), type: 1, display_in_profile_summary: true });
  expect((await edit(id, { display_in_profile_summary: false })).body).toEqual(success);
  expect((await fieldOf(id)).display_in_profile_summary ?? false).toBe(false);
});

const tooManyChoices = Object.fromEntries(
  Array.from({ length: 201 }, (_, index) => [`k${index}`, { text: `t${index}`, order: `${index}` }]),
);

test.each<[number, Record<string, unknown>, string]>([
  [1, { name: " " }, "Label cannot be blank."],
  [1, { name: "x".repeat(41) }, "name is too long (limit: 40 characters)"],
  [1, { hint: "x".repeat(81) }, "hint is too long (limit: 80 characters)"],
  [2, { display_in_profile_summary: true }, "Field type not supported for display in profile summary."],
  [6, { display_in_profile_summary: true }, "Field type not supported for display in profile summary."],
  [3, { field_data: {} }, "Field must have at least one choice."],
  [3, { field_data: tooManyChoices }, "Field must have at most 200 choices."],
  [3, { field_data: { " ": { text: "x", order: "1" } } }, "'value' cannot be blank."],
  [
    3,
    { field_data: { a: { text: "x".repeat(51), order: "1" } } },
    'field_data["a"]["text"] must be 1 to 50 characters',
  ],
  [3, { field_data: { a: "x" } }, 'field_data["a"]["text"] must be 1 to 50 characters'],
  [3, { field_data: { a: { text: "x", order: 1 } } }, 'field_data["a"]["order"] is not a string'],
  [
    3,
    { field_data: { a: { text: "x", order: "1" }, b: { text: "x", order: "2" } } },
    "Field must not have duplicate choices.",
  ],
  [7, { field_data: { subtype: "nowhere" } }, "Invalid external account type"],
  [7, { field_data: {} }, "Invalid external account type"],
  [7, { field_data: { subtype: "custom" } }, "URL pattern must contain '%(username)s'."],
  [
    7,
    { field_data: { subtype: "custom", url_pattern: "https://x.test/%(username)s/%(username)s" } },
    "URL pattern must contain '%(username)s'.",
  ],
  [7, { field_data: { subtype: "custom", url_pattern: "https://x test/%(username)s" } }, "url_pattern is not a URL"],
])("a field of type %i refuses %j on creation and on update, and stays unchanged", async (field_type, params, msg) => {
  const validData: Record<number, unknown> = {
    3: { a: { text: "A", order: "1" } },
    7: { subtype: "custom", url_pattern: "https://x.test/%(username)s" },
  };
  const field_data = validData[field_type];
  const id = await aField({ field_type, ...(field_data !== undefined && { field_data }) });
  const before = await fieldOf(id);

  expect(await add({ field_type, ...(field_data !== undefined && { field_data }), ...params })).toMatchObject(
    refused(msg),
  );
  expect(await edit(id, params)).toMatchObject(refused(msg));

  expect(await fieldOf(id)).toEqual(before);
});

test("two hundred choices are accepted", async () => {
  const { k200: _, ...maxChoices } = tooManyChoices;
  const id = await aField({ field_type: 3, field_data: maxChoices });

  expect(Object.keys(JSON.parse((await fieldOf(id)).field_data))).toHaveLength(200);
});

test("a field cannot take another field's name, but can keep its own", async () => {
  const name = `Twice ${Math.random()}`;
  const [id, other] = [await aField({ name, field_type: 1 }), await aField({ field_type: 2 })];

  expect(await edit(other, { name })).toMatchObject(refused("A field with that label already exists."));
  expect((await edit(id, { name, hint: "same" })).body).toEqual(success);
});

test("at most two fields can be in the summary, and there can be at most fifty fields", async () => {
  const inSummary = { field_type: 1, display_in_profile_summary: true };
  const [, , plain] = [await aField(inSummary), await aField(inSummary), await aField({ field_type: 1 })];
  const summaryIsFull = refused("Only 2 custom profile fields can be displayed in the profile summary.");

  expect(await add(inSummary)).toMatchObject(summaryIsFull);
  expect(await edit(plain, { display_in_profile_summary: true })).toMatchObject(summaryIsFull);

  await editShortList(profileFieldsKey, ({ entries, lastId }) => {
    const fillers = Array.from({ length: 50 - entries.length }, (_, index) => ({
      ...{ id: lastId + 1 + index, type: 1, name: `Filler ${index}`, hint: "", data: "" },
      ...{ inSummary: false, required: false, editableByUser: true },
    }));
    return { entries: [...entries, ...fillers], lastId: lastId + fillers.length };
  });
  const refusal = await add({ field_type: 1 });
  await editShortList(profileFieldsKey, ({ entries }) => ({
    entries: entries.filter(({ name }) => !name.startsWith("Filler ")),
  }));

  expect(refusal).toMatchObject(refused("An organization can have at most 50 custom profile fields."));
});
