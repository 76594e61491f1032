import { fold } from "../../../shared/base/folding.ts";

/**
 * Finds names by what a user types, everywhere in the page: all of its words, in any order, in upper or lower case, with or without
 * accents.
 */

/** Whether two names differ at most in what people leave out when they type. */
export const isSameName = (a: string, b: string): boolean => fold(a).trim() === fold(b).trim();

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
  const whole = fold(query.trim());
  const words = whole.split(/\s+/).filter((word) => word !== "");
  return (name) => {
    const text = fold(name);
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
  const whole = fold(query);
  return (name) => whole === "" || beginsWord(fold(name), whole);
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
