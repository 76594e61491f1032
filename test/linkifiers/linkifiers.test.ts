import { beforeAll, expect, test } from "vitest";
import { putLinkifiers, readLinkifiers } from "../../shared/store/organization/linkifiers.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * Linkifiers are one list of the whole organization, so the patterns have random prefixes, which texts of other test files
 * do not match.
 */

let admin: Person;
let member: Person;
const pattern = (name: string) => `${name}${Math.random().toString(36).slice(2, 8)}-(?P<id>[0-9]+)`;

beforeAll(async () => {
  [admin, member] = [await aPerson("Malcolm", { role: "administrator" }), await aPerson("Lennox")];
});

const add = (newPattern: string, url_template = "https://tickets.test/{id}") =>
  admin.call("POST", "/realm/filters", { pattern: newPattern, url_template });
const listLinkifiers = async () =>
  (await member.call("GET", "/realm/linkifiers")).body.linkifiers as {
    id: number;
    pattern: string;
    url_template: string;
  }[];
const render = async (content: string) => (await member.call("POST", "/messages/render", { content })).body.rendered;

test("a linkifier is added at the end, applies to new messages, and can be removed", async () => {
  const ticket = pattern("T");
  const text = ticket.replace("(?P<id>[0-9]+)", "17");

  const added = await add(ticket);
  const linked = await render(`see ${text}, not x${text}`);
  expect((await listLinkifiers()).at(-1)).toEqual({
    id: added.body.id,
    pattern: ticket,
    url_template: "https://tickets.test/{id}",
  });
  expect(linked).toBe(`<p>see <a href="https://tickets.test/17">${text}</a>, not x${text}</p>`);

  const edited = await admin.call("PATCH", `/realm/filters/${added.body.id}`, {
    pattern: ticket,
    url_template: "https://new.test/{id}",
  });
  expect(edited.body).toEqual({ result: "success", msg: "" });
  expect(await render(text)).toBe(`<p><a href="https://new.test/17">${text}</a></p>`);

  expect((await admin.call("DELETE", `/realm/filters/${added.body.id}`)).status).toBe(200);
  expect(await render(text)).toBe(`<p>${text}</p>`);
  expect((await listLinkifiers()).map(({ id }) => id)).not.toContain(added.body.id);
  for (const [method, params] of [
    ["DELETE", {}],
    ["PATCH", { pattern: ticket, url_template: "https://new.test/{id}" }],
  ] as const)
    expect(await admin.call(method, `/realm/filters/${added.body.id}`, params)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Linkifier not found." },
    });
});

test("a topic's links come with its messages", async () => {
  const ticket = pattern("U");
  await add(ticket);
  const topic = ticket.replace("(?P<id>[0-9]+)", "4");

  await member.do("POST", "/messages", { type: "channel", to: "stage", topic, content: "c" });

  const narrow = [
    ["channel", "stage"],
    ["topic", topic],
  ];
  const { body } = await member.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow });
  expect(body.messages[0].topic_links).toEqual([{ text: topic, url: "https://tickets.test/4" }]);
});

test("the order can be changed, and an order that does not list each linkifier once is refused", async () => {
  const [first, second] = [(await add(pattern("V"))).body.id, (await add(pattern("W"))).body.id];
  const ids = (await listLinkifiers()).map(({ id }) => id);

  const swapped = ids.map((id) => (id === first ? second : id === second ? first : id));
  expect((await admin.call("PATCH", "/realm/linkifiers", { ordered_linkifier_ids: swapped })).status).toBe(200);

  expect((await listLinkifiers()).map(({ id }) => id)).toEqual(swapped);
  for (const invalidOrder of [swapped.slice(1), [...swapped, first], [...swapped.slice(1), 99_999_999]])
    expect(await admin.call("PATCH", "/realm/linkifiers", { ordered_linkifier_ids: invalidOrder })).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
});

test.each([
  [
    "an unclosed group",
    "(?P<id>",
    "https://a.test/{id}",
    { pattern: [expect.stringContaining("Bad regular expression")] },
  ],
  [
    "a look-behind",
    "(?<=x)(?P<id>y)",
    "https://a.test/{id}",
    { pattern: [expect.stringContaining("Bad regular expression")] },
  ],
  [
    "a back-reference",
    "(?P<id>a)(?P=id)",
    "https://a.test/{id}",
    { pattern: [expect.stringContaining("Bad regular expression")] },
  ],
  ["an invalid template", "#(?P<id>[0-9]+)", "https://a.test/{id", { url_template: ["Invalid URL template."] }],
  [
    "a template with another group",
    "#(?P<id>[0-9]+)",
    "https://a.test/{id}/{no}",
    { url_template: ["Group 'no' in URL template is not present in linkifier pattern."] },
  ],
  [
    "a group that the template leaves out",
    "#(?P<id>[0-9]+)(?P<no>x)",
    "https://a.test/{id}",
    { pattern: ["Group 'no' in linkifier pattern is not present in URL template."] },
  ],
])("refuses %s and names the field", async (_, newPattern, template, errors) => {
  const reply = await add(newPattern, template);

  expect(reply).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", errors } });
});

test("a duplicate pattern is refused, also concurrently", async () => {
  const duplicate = pattern("X");

  const replies = await Promise.all([add(duplicate), add(duplicate), add(duplicate)]);

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect((await listLinkifiers()).filter((linkifier) => linkifier.pattern === duplicate)).toHaveLength(1);
});

test("concurrent additions of different linkifiers are all stored", async () => {
  const patterns = Array.from({ length: 8 }, (_, index) => pattern(`Y${index}`));

  await Promise.all(patterns.map((newPattern) => add(newPattern)));

  expect((await listLinkifiers()).map((linkifier) => linkifier.pattern)).toEqual(expect.arrayContaining(patterns));
});

test.each([
  ["POST", "/realm/filters", { pattern: "a", url_template: "https://a.test/" }],
  ["PATCH", "/realm/filters/1", { pattern: "a", url_template: "https://a.test/" }],
  ["DELETE", "/realm/filters/1", {}],
  ["PATCH", "/realm/linkifiers", { ordered_linkifier_ids: [] }],
])("%s %s can only be called by administrators", async (method, path, params) => {
  const reply = await member.call(method, path, params);

  expect(reply).toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" },
  });
});

test.each([
  ["POST", "/realm/filters", {}, "pattern"],
  ["POST", "/realm/filters", { pattern: "a" }, "url_template"],
  ["PATCH", "/realm/filters/1", { pattern: "a" }, "url_template"],
  ["PATCH", "/realm/linkifiers", {}, "ordered_linkifier_ids"],
])("%s %s with %o names the missing parameter", async (method, path, params, name) => {
  expect(await admin.call(method, path, params)).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: name },
  });
});

test("a linkifier is refused if the list would no longer fit into one item", async () => {
  const before = await readLinkifiers();
  const large = Array.from({ length: 4 }, (_, index) => ({
    id: 1_000_000 + index,
    pattern: `x${index}`,
    urlTemplate: "y".repeat(101_000),
  }));
  await transact([putLinkifiers({ version: before.version + 1, linkifiers: large })]);

  const replies = [];
  for (let index = 0; index < 5 && replies.at(-1)?.status !== 400; index++)
    replies.push(await add(pattern("L"), `https://tickets.test/{id}/${"ö".repeat(900)}`));

  const { version } = await readLinkifiers();
  await transact([putLinkifiers({ ...before, version: version + 1 })]);
  expect(replies.at(0)).toMatchObject({ status: 200 });
  expect(replies.at(-1)).toMatchObject({
    status: 400,
    body: { msg: "The list is too large to be stored: shorten an entry or remove one." },
  });
});
