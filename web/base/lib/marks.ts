/**
 * Letters with more marks above and below them than any language has. Browsers take time for such a letter that is quadratic in
 * the number of its marks, so it is laid out in parts.
 */

const partOfMarks = /\p{M}{20}(?=\p{M})/gu;

/** A text in parts, between which the browser may break it. Most texts have one. */
export function partsBetweenMarks(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: marks, index } of text.matchAll(partOfMarks)) {
    const end = index + marks.length;
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}
