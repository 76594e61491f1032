const maxCharacters = 1000;

/**
 * The form in which names are compared that must differ: names that look alike have the same. As Unicode's NFKC_Casefold: without
 * case, variants of width and style, and characters that nobody sees.
 */
export function nameKey(name: string): string {
  // Longer than any name: to normalize it could take quadratic time.
  if (name.length > maxCharacters) return name;
  const visible = name.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  // Case folding: JavaScript has only conversions, and that to upper case would make an "i" of "ı".
  const key = visible
    .replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
    .replaceAll("ς", "σ")
    .normalize("NFKC");
  return key === "" ? name : key;
}
