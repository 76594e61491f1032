const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** The visible text of HTML; blocks and line breaks become spaces. */
export const textOfHtml = (html: string): string =>
  html
    .replace(/<\/?(?:p|div|li|ul|ol|br|tr|td|th|h[1-6]|blockquote|pre|table)\b[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(#?\w+);/g,
      (whole, name: string) => (Object.hasOwn(entities, name) ? entities[name] : numbered(name)) ?? whole,
    );

function numbered(name: string): string | undefined {
  const code = /^#x([0-9a-f]{1,6})$/i.exec(name)?.[1];
  const point = code === undefined ? Number(/^#(\d{1,7})$/.exec(name)?.[1] ?? Number.NaN) : Number.parseInt(code, 16);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
