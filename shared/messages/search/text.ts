const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** The visible text of HTML; blocks and line breaks become spaces. */
export const textOfHtml = (html: string): string =>
  html
    .replace(/<\/?(?:p|div|li|ul|ol|br|tr|td|th|h[1-6]|blockquote|pre|table)\b[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(#?\w+);/g,
      (match, name: string) => (Object.hasOwn(entities, name) ? entities[name] : numericEntity(name)) ?? match,
    );

/** The character of an entity such as `#39` or `#x27`. */
function numericEntity(name: string): string | undefined {
  const hexDigits = /^#x([0-9a-f]{1,6})$/i.exec(name)?.[1];
  const codePoint =
    hexDigits === undefined ? Number(/^#(\d{1,7})$/.exec(name)?.[1] ?? Number.NaN) : Number.parseInt(hexDigits, 16);
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
