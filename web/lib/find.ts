/** Finds names by what a user types: all of its words, in any order, in upper or lower case, with or without accents. */

const isAscii = (text: string) => /^[ -~]*$/.test(text);

const normalized = (text: string) =>
  (isAscii(text) ? text : text.normalize("NFD").replaceAll(/\p{Diacritic}/gu, "")).toLowerCase();

/** How well a name matches: 0 if it begins with the query, 1 if each word begins one of its words, 2 if it contains them. */
export type Match = 0 | 1 | 2;

/** Returns a function that says how well a name matches the query; undefined if it does not. An empty query matches all. */
export function matcher(query: string): (name: string) => Match | undefined {
  const whole = normalized(query.trim());
  const words = whole.split(/\s+/).filter((word) => word !== "");
  return (name) => {
    const text = normalized(name);
    if (!words.every((word) => text.includes(word))) return undefined;
    if (text.startsWith(whole)) return 0;
    return words.every((word) => beginsWord(text, word)) ? 1 : 2;
  };
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
