/** Maps names of Unicode emoji to codes, and codes to names. */
export interface EmojiTable {
  /** The code of a Unicode emoji's name, canonical or alias. */
  codeOf(name: string): string | undefined;
  /** The names of a code, the canonical one first; empty for an unknown code. */
  namesOf(code: string): readonly string[];
  /** Every code with its names, the canonical one first. */
  entries(): IterableIterator<[code: string, names: readonly string[]]>;
}

/** Zulip's own emoji, which are not in Unicode: their code is their name. */
export const extraEmojiNames: readonly string[] = ["zulip"];

let tablePromise: Promise<EmojiTable> | undefined;

/** Loads the table of Unicode emoji lazily, once per process, because it has 75 KB and most requests do not need it. */
export function loadEmojiTable(): Promise<EmojiTable> {
  tablePromise ??= import("./names.generated.json", { with: { type: "json" } }).then((module) =>
    toEmojiTable(module.default),
  );
  return tablePromise;
}

/** The code of emoji characters: hexadecimal code points of at least four digits, without variation selectors. */
export function codeOfCharacters(characters: string): string {
  return [...characters.replaceAll("\uFE0F", "")]
    .map((character) => Number(character.codePointAt(0)).toString(16).padStart(4, "0"))
    .join("-");
}

function toEmojiTable(data: Record<string, string>): EmojiTable {
  const names = new Map<string, readonly string[]>();
  const codes = new Map<string, string>();
  for (const [code, joinedNames] of Object.entries(data)) {
    const list = joinedNames.split(" ");
    names.set(code, list);
    for (const name of list) codes.set(name, code);
  }
  return {
    codeOf: (name) => codes.get(name),
    namesOf: (code) => names.get(code) ?? [],
    entries: () => names.entries(),
  };
}
