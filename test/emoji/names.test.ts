import { expect, test } from "vitest";
import { codeOfCharacters, loadEmojiTable } from "../../shared/core/emoji/names.ts";

test.each([
  ["smile", "1f604"],
  ["slight_smile", "1f642"],
  ["+1", "1f44d"],
  ["thumbs_up", "1f44d"],
  ["heart", "2764"],
  ["tada", "1f389"],
  ["hash", "0023-20e3"],
  ["smiling_face", "263a"],
  ["flag_andorra", "1f1e6-1f1e9"],
])("the name %s has the code %s", async (name, code) => {
  const table = await loadEmojiTable();

  expect(table.codeOf(name)).toBe(code);
  expect(table.namesOf(code)).toContain(name);
});

test("each name maps to one code and back", async () => {
  const table = await loadEmojiTable();
  const names = [...table.entries()].flatMap(([, namesOfCode]) => namesOfCode);

  expect(new Set(names).size).toBe(names.length);
  for (const [code, namesOfCode] of table.entries()) {
    expect(code).toMatch(/^[0-9a-f]{4,5}(?:-[0-9a-f]{4,5})*$/);
    for (const name of namesOfCode) expect(table.codeOf(name)).toBe(code);
  }
});

test.each(["no_such_emoji", "", "toString", "zulip"])("%j is not a Unicode emoji", async (name) => {
  expect((await loadEmojiTable()).codeOf(name)).toBeUndefined();
});

test.each([
  ["😄", "1f604"],
  ["❤️", "2764"],
  ["#️⃣", "0023-20e3"],
])("the character %s has the code %s", (characters, code) => {
  expect(codeOfCharacters(characters)).toBe(code);
  expect(codeOfCharacters(String.fromCodePoint(...code.split("-").map((part) => Number.parseInt(part, 16))))).toBe(
    code,
  );
});
