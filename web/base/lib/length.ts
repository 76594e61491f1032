/** Lengths of texts, as the server counts them. */

const surrogatePairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** A text as the server stores it: without empty lines before it and blanks after it. */
export const asStored = (text: string): string => text.trimEnd().replace(/^\n+/, "");

export const isStoredAlike = (a: string, b: string): boolean => asStored(a) === asStored(b);

/** The number of Unicode code points of a text as it is stored. */
export function storedLength(text: string): number {
  const stored = asStored(text);
  return stored.length - (stored.match(surrogatePairs)?.length ?? 0);
}

/** Whether the server would refuse or cut a text. */
export const isTooLong = (text: string, max: number): boolean => text.length > max && storedLength(text) > max;
