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

/**
 * How well a name matches: 0 if it begins with the query, 1 if each word begins one of its words, 2 if it contains them, 3 if it is
 * near the query.
 */
export type Match = 0 | 1 | 2 | 3;

/**
 * Returns a function that says how well a name matches the query; undefined if it does not. An empty query matches all. With `near`,
 * a word of the query may also be made of beginnings of the name's words (`reco` of Recent conversations), or have one letter too
 * many, too few, another or exchanged.
 */
export function matcher(query: string, { near = false } = {}): (name: string) => Match | undefined {
  const whole = fold(query.trim());
  const words = whole.split(/\s+/).filter((word) => word !== "");
  return (name) => {
    const text = fold(name);
    if (!words.every((word) => text.includes(word))) return near && isNear(text, words) ? 3 : undefined;
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

function isNear(text: string, words: readonly string[]): boolean {
  const others = words.filter((word) => !text.includes(word));
  // Most names of a large organization are not, which this finds in little time.
  if (!others.every((word) => beginsWord(text, word.slice(0, 1)))) return false;
  const parts = text.split(/[^\p{L}\p{N}]+/u);
  return others.every((word) => parts.some((part) => beginsWithTypo(part, word)) || isMadeOf(parts, word));
}

/** Whether a word consists of beginnings of the parts, in their order. */
function isMadeOf(parts: readonly string[], word: string): boolean {
  /** How much of the word the parts so far can make. */
  const lengths = new Set([0]);
  for (const part of parts)
    for (const start of [...lengths])
      for (let length = 1; part[length - 1] === word[start + length - 1] && length <= part.length; length++)
        lengths.add(start + length);
  return lengths.has(word.length);
}

/** In shorter words, one letter makes another word. */
const minTypoLength = 4;

/** Whether a name's part begins with a word in which one letter after the first is wrong. */
function beginsWithTypo(part: string, word: string): boolean {
  if (word.length < minTypoLength || part[0] !== word[0]) return false;
  let same = 1;
  while (same < word.length && part[same] === word[same]) same++;
  const after = (skippedInWord: number, skippedInPart: number) =>
    part.startsWith(word.slice(same + skippedInWord), same + skippedInPart);
  const isExchanged = part[same] === word[same + 1] && part[same + 1] === word[same];
  return after(1, 1) || after(0, 1) || after(1, 0) || (isExchanged && after(2, 2));
}

function beginsWord(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1))
    if (index === 0 || /[^\p{L}\p{N}]/u.test(text[index - 1] as string)) return true;
  return false;
}
