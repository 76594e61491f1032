const maxCharacters = 1000;

/** A key of the table has at most 2,048 bytes; one character may become eighteen. */
const maxKeyLength = 650;

/**
 * The form in which names are compared that must differ: names that look alike have the same. As Unicode's NFKC_Casefold: without
 * case, variants of width and style, and characters that nobody sees.
 */
export function nameKey(name: string): string {
  // Longer than any name: to normalize it could take quadratic time.
  if (name.length > maxCharacters) return name;
  if (!/[^\0-\x7f]/.test(name)) return name.toLowerCase();
  const visible = name.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
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
