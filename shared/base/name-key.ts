const maxCharacters = 1000;

/** A key of the table has at most 2,048 bytes; one character may become eighteen. */
const maxKeyLength = 650;

/** Letters and symbols that are shown as a blank: fillers of Hangul and Khitan, and the empty signs of Braille, music and hieroglyphs. */
const blank = "\\u115F\\u1160\\u3164\\uFFA0\\u2800\\u{13441}\\u{13442}\\u{16FE4}\\u{1D159}";

export const blankCharacter = new RegExp(`[${blank}]`, "u");
const unseen = new RegExp(`[\\p{Default_Ignorable_Code_Point}${blank}]`, "gu");

/** Whether nobody would see a name. */
export const isUnseen = (name: string): boolean => name.replace(unseen, "").replace(/[\s\p{C}\p{Z}]/gu, "") === "";

/**
 * The form in which names are compared that must differ: names that look alike have the same. As Unicode's NFKC_Casefold: without
 * case, variants of width and style, and characters that nobody sees.
 */
export function nameKey(name: string): string {
  // Longer than any name: to normalize it could take quadratic time.
  if (name.length > maxCharacters) return name;
  if (!/[^\0-\x7f]/.test(name)) return name.toLowerCase();
  const seen = name.replace(unseen, "");
  // A space beside what nobody sees is at the end of what is seen.
  const visible = (seen.length < name.length ? seen.trim() : seen).normalize("NFKC");
  // Case folding: JavaScript has only conversions, and that to upper case would make an "i" of "ı".
  const key = visible
    .replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
    .replaceAll("ς", "σ")
    .normalize("NFKC");
  if (key.length > maxKeyLength) return name.toLowerCase();
  return key === "" ? name : key;
}

/** Whom a name means: who has it, but for its case; otherwise the only one whose name looks like it. */
export function meantBy<Item>(name: string, items: readonly Item[], nameOf: (item: Item) => string): Item | undefined {
  const lowerCase = name.toLowerCase();
  const key = nameKey(name);
  const alike = items.filter((item) => nameKey(nameOf(item)) === key);
  return alike.find((item) => nameOf(item).toLowerCase() === lowerCase) ?? (alike.length === 1 ? alike[0] : undefined);
}
