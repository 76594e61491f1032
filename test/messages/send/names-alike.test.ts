import { beforeAll, expect, test } from "vitest";
import { nameKey } from "../../../shared/base/name-key.ts";
import { commit } from "../../../shared/store/log/log.ts";
import { bumpUsersVersion } from "../../../shared/store/organization/organization.ts";
import { updateUser } from "../../../shared/store/users/users.ts";
import { fetchMessage, sendDirect } from "../../support/messages.ts";
import { fc } from "../../support/random.ts";
import { token } from "../../support/unique.ts";
import { aPerson, type Person } from "../../support/world.ts";

/** Mentions of people by names that are spelled in other ways: exactly as names are compared where they must differ. */

let writer: Person;
beforeAll(async () => {
  writer = await aPerson("Quince");
});

/** The users whom a text mentions, in order, with the names that are shown. */
async function mentioned(content: string): Promise<[id: number, shown: string][]> {
  const { rendered } = await writer.do("POST", "/messages/render", { content });
  return [...rendered.matchAll(/data-user-id="(\d+)">([^<]*)<\/span>/g)].map(([, id, shown]) => [Number(id), shown]);
}

test.each([
  ["Zoë", "Zoe\u0308"],
  ["Zoe\u0308", "ZOË"],
  ["Straße", "Strasse"],
  ["Weiß", "WEISS"],
  ["Ｗｉｄｅ ﬁn", "wide fin"],
  ["Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"],
  ["Ada", "A\u00ADda\u200B"],
  ["İnci", "i\u0307nci"],
])("%s is mentioned as %s", async (first, spelled) => {
  const suffix = ` ${token()}`;
  const person = await aPerson(first + suffix);
  const name = spelled + suffix.toUpperCase();

  expect(await mentioned(`@**${name}** @_**${name}** @**${name}|${person.id}**`)).toEqual([
    [person.id, `@${person.name}`],
    [person.id, person.name],
    [person.id, `@${person.name}`],
  ]);
  const id = await sendDirect(writer, [person], `@**${name}**`);
  expect((await fetchMessage(person, id)).flags).toContain("mentioned");
  const silent = await sendDirect(writer, [person], `@_**${name}**\n\n> @**${name}**`);
  expect((await fetchMessage(person, silent)).flags).not.toContain("mentioned");
  expect(await mentioned(`@**${name}|${writer.id}** @**${first.slice(1)}${suffix}**`)).toEqual([]);
});

test("who is renamed is mentioned by the new name alone", async () => {
  const person = await aPerson("Bottom");
  const tail = token();
  await person.do("PATCH", "/settings", { full_name: `Groß ${tail}` });

  expect(await mentioned(`@**GROSS ${tail}**`)).toEqual([[person.id, `@Groß ${tail}`]]);
  await person.do("PATCH", "/settings", { full_name: `Klein ${tail}` });
  expect(await mentioned(`@**GROSS ${tail}** @**Groß ${tail}**`)).toEqual([]);
});

test("of people with names alike, the one whose name is written is mentioned, and otherwise nobody without an ID", async () => {
  const tail = token();
  const [sharp, capitals, wide] = await Promise.all([
    aPerson(`Strauß ${tail}`),
    aPerson(`STRAUSS ${tail}`),
    aPerson(`Ｓtrauß ${tail}`),
  ]);

  const all = [sharp, capitals, wide].map(({ name }) => `@**${name}**`).join(" ");
  expect(await mentioned(all)).toEqual([sharp, capitals, wide].map(({ id, name }) => [id, `@${name}`]));
  expect(await mentioned(`@**strauss ${tail}**`)).toEqual([[capitals.id, `@${capitals.name}`]]);
  expect(await mentioned(`@**Ｓtrauss ${tail}**`)).toEqual([]);
  expect(await mentioned(`@**Ｓtrauss ${tail}|${wide.id}**`)).toEqual([[wide.id, `@${wide.name}`]]);
});

test("a person whose name was stored by its lower case is mentioned by that", async () => {
  const tail = token();
  const [former, recent] = await Promise.all([aPerson(`Voß ${tail}`), aPerson(`Voss ${tail}`)]);
  const set = { gsi1pk: `FULLNAME#voß ${tail}` };
  await commit({ writes: [updateUser(former.id, { set }), bumpUsersVersion()], events: [] });

  expect(await mentioned(`@**VOß ${tail}**`)).toEqual([[former.id, `@${former.name}`]]);
  expect(await mentioned(`@**voss ${tail}**`)).toEqual([[recent.id, `@${recent.name}`]]);
});

test("random spellings mention exactly the person whose name they are", async () => {
  const pieces = [
    "Zoë",
    "e\u0301",
    "ß",
    "SS",
    "ﬁ",
    "Fi",
    "Ｗ",
    "ı",
    "İ",
    "σ",
    "ς",
    "Ω",
    "Å",
    "가",
    "각",
    "ñ",
    "٣",
    "\u00A0",
    "k",
  ];
  const name = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("").trim());
  const tail = token();
  const names = [...new Set(fc.sample(name, 60))].filter((each) => each !== "").map((each) => `${each} ${tail}`);
  const people = await Promise.all(names.map((each) => aPerson(each)));
  const meant = (written: string) => {
    const alike = people.filter((person) => nameKey(person.name) === nameKey(written));
    const same = alike.filter((person) => person.name.toLowerCase() === written.toLowerCase());
    const lowest = same.sort((a, b) => a.id - b.id)[0];
    return lowest ?? (alike.length === 1 ? alike[0] : undefined);
  };
  const spellings: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.normalize("NFD"),
    (text) => text.normalize("NFKC"),
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.replace("ß", "ss"),
    (text) => `${text.slice(0, 1)}\u2060${text.slice(1)}`,
    (text) => `${text}x`,
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...spellings)), { minLength: 1, maxLength: 30 }),
      async (choices) => {
        const written = choices.map(([of, spelled]) => spelled(of));
        const expected = written.flatMap((each) => meant(each) ?? []).map((person) => [person.id, `@${person.name}`]);
        expect(await mentioned(written.map((each) => `@**${each}**`).join(" "))).toEqual(expected);
      },
    ),
    { numRuns: 30 },
  );
});
