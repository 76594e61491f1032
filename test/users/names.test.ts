import { afterAll, beforeAll, expect, test } from "vitest";
import { nameKey } from "../../shared/base/name-key.ts";
import { checkFullName, toAllowedName } from "../../shared/core/users/names.ts";
import { allowedName } from "../../shared/features/import/names.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { fc } from "../support/random.ts";
import { token, unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let admin: Person;
let viola: Person;
let organization: OrganizationSession;
const owner = "owner@globe.test";
beforeAll(async () => {
  [admin, viola, organization] = await Promise.all([
    aPerson("Orsino", { role: "administrator" }),
    aPerson("Viola"),
    openOrganization(),
  ]);
});
afterAll(() => organization.restoreSettings());

/** Shown as a blank, but of other categories than C. */
const blanks = ["\u115F", "\u1160", "\u2800", "\u3164", "\uFFA0", "\u{13441}", "\u{16FE4}", "\u{1D159}"];
/** Those, and of category C: control, format, private use, unassigned. */
const invisible = [
  "\u0007",
  "\u00AD",
  "\u200B",
  "\u200C",
  "\u200D",
  "\u200E",
  "\u202E",
  "\u2066",
  "\uFEFF",
  "\uE000",
  "\u{E0041}",
  "\uFFFF",
  ...blanks,
];

test.each(invisible.map((character) => [character.codePointAt(0)?.toString(16), character]))(
  "U+%s is refused in names of people and bots",
  async (_, character) => {
    const name = `Ada${character}Lovelace`;
    const refused = { status: 400, body: { msg: "Invalid characters in name!" } };

    expect(await viola.call("PATCH", "/settings", { full_name: name })).toMatchObject(refused);
    expect(await admin.call("PATCH", `/users/${viola.id}`, { full_name: name })).toMatchObject(refused);
    expect(await admin.call("POST", "/bots", { full_name: name, short_name: token(), bot_type: 1 })).toMatchObject(
      refused,
    );
    expect(toAllowedName(name)).toBe(blanks.includes(character) ? "Ada Lovelace" : "AdaLovelace");
  },
);

test.each(["\t", "\n", "\r\n", "\u0085"])("%j between the words of an imported name becomes a space", (separator) => {
  expect(toAllowedName(`Ada${separator}Lovelace`)).toMatch(/^Ada +Lovelace$/);
  expect(allowedName(`Ada${separator}Lovelace`)).toMatch(/^Ada +Lovelace$/);
});

test.each([...blanks, "\uFE0F", "\u034F", "\u200B\u3164", "\u2800 \u2800", "\u00A0\u200B"])(
  "nothing can have a name of nothing but %j, which nobody would see",
  async (name) => {
    const call = (method: string, path: string, params: object) => admin.call(method, path, { ...params });
    expect(await call("PATCH", "/settings", { full_name: name })).toMatchObject({ status: 400 });
    expect(await call("POST", "/bots", { full_name: name, short_name: token(), bot_type: 1 })).toMatchObject({
      status: 400,
    });
    expect(await call("POST", "/channels/create", { name, subscribers: [admin.id] })).toMatchObject({ status: 400 });
    expect(await call("POST", "/users/me/subscriptions", { subscriptions: [{ name }] })).toMatchObject({ status: 400 });
    const group = { name, description: "", members: [admin.id] };
    expect(await call("POST", "/user_groups/create", group)).toMatchObject({ status: 400 });
    expect(await call("POST", "/channel_folders/create", { name })).toMatchObject({ status: 400 });
    const groupOfDefaults = { group_name: name, description: "", stream_names: [] };
    expect(await call("POST", "/default_stream_groups/create", groupOfDefaults)).toMatchObject({ status: 400 });
    expect(toAllowedName(name)).toBe("");
  },
);

test.each(["علی‌رضا", "क्‍ष नारायण", "Ada 👩‍💻", "Ærøskøbing", "עדה"])("%s is a name", async (name) => {
  await viola.do("PATCH", "/settings", { full_name: name });
  expect(toAllowedName(name)).toBe(name);
});

test("what remains of any text is a name", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...invisible, "ل", "👩", "*", "|", " "), fc.string()), { maxLength: 8 }),
      fc.constantFrom("", "x".repeat(98), "👩\u200D💻".repeat(33)),
      (parts, before) => {
        const name = toAllowedName(before + parts.join(""));
        expect(name).not.toMatch(/[\p{Cc}\p{Co}\p{Cn}\u200B\u202E*|]/u);
        expect(toAllowedName(name)).toBe(name);
        if (name !== "") expect(checkFullName(name)).toBe(name);
      },
    ),
  );
});

test("where names must be unique, one that looks like another's is refused", async () => {
  await organization.do(owner, "PATCH", "/realm", { require_unique_names: true });
  const create = (full_name: string) =>
    organization.as(owner, "POST", "/users", {
      email: `${token()}@globe.test`,
      password: "a-quite-long-passphrase",
      full_name,
    });
  expect(await create("Straße ﬁn Ｗ")).toMatchObject({ result: "success" });

  const short_name = `${token()}`.replaceAll(/\W/g, "");
  const bot = (full_name: string) =>
    organization.as(owner, "POST", "/bots", { full_name, short_name: `${short_name}${full_name.length}` });
  const { user_id: botId } = await bot("Gnomon");
  const refused = { msg: "Unique names required in this organization." };
  for (const alike of ["STRASSE fin w", "straße FIN W", "Straße ﬁn Ｗ", "Straße  ﬁn\u00A0Ｗ"]) {
    expect(await create(alike), alike).toMatchObject(refused);
    expect(await bot(alike), alike).toMatchObject(refused);
    expect(await organization.as(owner, "PATCH", `/bots/${botId}`, { full_name: alike })).toMatchObject(refused);
  }
  expect(await create("GNOMON")).toMatchObject(refused);
  expect(await organization.as(owner, "PATCH", `/bots/${botId}`, { full_name: "GNOMON" })).toMatchObject({
    result: "success",
  });
  for (const other of ["Strase fin w", "Stráße fin w"])
    expect(await create(other), other).toMatchObject({ result: "success" });
  await organization.do(owner, "PATCH", "/realm", { require_unique_names: false });
});

test.each([
  ["Straße", "STRASSE"],
  ["ﬁnance", "Finance"],
  ["caf\u00E9", "CAFE\u0301"],
  ["Ｗｉｄｅ", "wide"],
  ["ops\u200B", "ops"],
  ...blanks.map((blank): [string, string] => [`o${blank}ps${blank}`, "ops"]),
  ["ΟΔΟΣ", "οδός".normalize("NFD").replace(/\u0301/, "")],
])("channels, user groups and folders cannot be called both %s and %s", async (one, other) => {
  const suffix = unique(" x");
  const [first, second] = [one, other].map((name) => `${name}${suffix}`) as [string, string];
  const another = await aChannel("another", [admin]);
  const create = (name: string) => admin.call("POST", "/channels/create", { name, subscribers: [admin.id] });
  const { id } = await admin.do("POST", "/channels/create", { name: first, subscribers: [admin.id] });

  expect(await create(second)).toMatchObject({ status: 409 });
  expect(await admin.call("PATCH", `/streams/${another.id}`, { new_name: second })).toMatchObject({
    body: { result: "error" },
  });
  expect(await admin.do("GET", "/get_stream_id", { stream: second })).toMatchObject({ stream_id: id });
  expect(await admin.do("POST", "/messages/render", { content: `#**${second}**` })).toMatchObject({
    rendered: expect.stringContaining(`data-stream-id="${id}"`),
  });
  await admin.do("PATCH", `/streams/${id}`, { new_name: second });

  const group = (name: string) => ({ name, description: "", members: [admin.id] });
  await admin.do("POST", "/user_groups/create", group(first));
  expect(await admin.call("POST", "/user_groups/create", group(second))).toMatchObject({ status: 400 });

  await admin.do("POST", "/channel_folders/create", { name: first });
  expect(await admin.call("POST", "/channel_folders/create", { name: second })).toMatchObject({ status: 400 });
});

test("keys of names ignore case, width and what nobody sees, and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      const name = text.trim();
      for (const alike of [name.normalize("NFD"), name.normalize("NFKC"), name.toUpperCase(), `${name}\u200B`])
        if (nameKey(name.toUpperCase().replaceAll("I", "ı")) !== nameKey(name))
          expect(nameKey(alike)).toBe(nameKey(name));
      expect(nameKey(nameKey(name))).toBe(nameKey(name));
    }),
  );
  expect(nameKey("Sıla")).not.toBe(nameKey("Sila"));
  expect(nameKey("Gael")).not.toBe(nameKey("Gaël"));
});

test("names of characters that stand for many are names of people, groups, channels and folders", async () => {
  const name = "\uFDFA".repeat(60);
  const person = await aPerson("Feste");
  await person.do("PATCH", "/settings", { full_name: `${name}${"\uFDFA".repeat(40)}` });
  const { rendered } = await admin.do("POST", "/messages/render", { content: `@**${name}${"\uFDFA".repeat(40)}**` });
  expect(rendered).toContain(`data-user-id="${person.id}"`);

  const group = { name: "\uFDFA".repeat(100), description: "", members: [admin.id] };
  await admin.do("POST", "/user_groups/create", group);
  expect(await admin.call("POST", "/user_groups/create", group)).toMatchObject({ status: 400 });
  await admin.do("POST", "/channels/create", { name, subscribers: [admin.id] });
  await admin.do("POST", "/channel_folders/create", { name });
});
