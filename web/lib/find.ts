/**
 * Finds names by what a user types, everywhere in the page: all of its words, in any order, in upper or lower case, with or without
 * accents.
 */

const isAscii = (text: string) => /^[ -~]*$/.test(text);

/** Letters that Unicode does not decompose, and what people type who lack them on the keyboard. */
const plainLetters: ReadonlyMap<string, string> = new Map(
  "ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ħ:h ı:i ŧ:t ŋ:n ĸ:k ς:σ"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
const plainLetter = new RegExp(`[${[...plainLetters.keys()].join("")}]`, "g");

/** A name or query in the form in which they are compared: without case, accents, ligatures, and characters that nobody sees. */
export const folded = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
        // Vowel signs are marks, too, but no accents.
        .replaceAll(/\p{M}/gu, (mark) => (/\p{Diacritic}/u.test(mark) ? "" : mark))
        .toLowerCase()
        .replaceAll(plainLetter, (letter) => plainLetters.get(letter) ?? letter);

/** Whether two names differ at most in what people leave out when they type. */
export const isSameName = (a: string, b: string): boolean => folded(a).trim() === folded(b).trim();

/** The item with a name: the one whose name differs least from it. */
export const named = <Item>(items: Iterable<Item>, name: string, nameOf: (item: Item) => string): Item | undefined => {
  const alike = [...items].filter((item) => isSameName(nameOf(item), name));
  const lowerCase = name.trim().toLowerCase();
  return alike.find((item) => nameOf(item).toLowerCase() === lowerCase) ?? alike[0];
};

/** How well a name matches: 0 if it begins with the query, 1 if each word begins one of its words, 2 if it contains them. */
export type Match = 0 | 1 | 2;

/** Returns a function that says how well a name matches the query; undefined if it does not. An empty query matches all. */
export function matcher(query: string): (name: string) => Match | undefined {
  const whole = folded(query.trim());
  const words = whole.split(/\s+/).filter((word) => word !== "");
  return (name) => {
    const text = folded(name);
    if (!words.every((word) => text.includes(word))) return undefined;
    if (text.startsWith(whole)) return 0;
    return words.every((word) => beginsWord(text, word)) ? 1 : 2;
  };
}

/**
 * Like `matcher`, for a query that is a part of a sentence and may end before the cursor: the name, or its rest from one of its
 * words on, begins with the whole query.
 */
export function beginningMatcher(query: string): (name: string) => boolean {
  const whole = folded(query);
  return (name) => whole === "" || beginsWord(folded(name), whole);
}

/** The items whose texts match the query, the best match first; the order stays among equals. */
export function matching<Item>(items: readonly Item[], query: string, textOf: (item: Item) => string): Item[] {
  const matchOf = matcher(query);
  return items
    .flatMap((item) => {
      const match = matchOf(textOf(item));
      return match === undefined ? [] : [{ item, match }];
    })
    .sort((a, b) => a.match - b.match)
    .map(({ item }) => item);
}

function beginsWord(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1))
    if (index === 0 || /[^\p{L}\p{N}]/u.test(text[index - 1] as string)) return true;
  return false;
}
