/**
 * Cuts HTML that is too long to be shown at once: of a long message only the beginning is built, and the rest in parts when the
 * reader asks for it. No part takes long to build, however the message was written.
 */

/** A place in HTML, with the start tags of the elements that are open there. */
interface Place {
  at: number;
  open: readonly string[];
}

interface Room {
  elements: number;
  /** Estimated: lines of code, items, rows of tables, paragraphs, and `charactersPerRow` characters of text each. */
  rows: number;
}

/** What is longer is cut. */
const maxWhole: Room = { elements: 1200, rows: 80 };
/** The beginning that is shown of what is cut. */
const beginning: Room = { elements: 400, rows: 40 };
/** What each further part may have. Most long messages have one. */
const maxPart: Room = { elements: 1200, rows: 1000 };

/** About how many elements of a content are built before the reader asks for more. */
export const maxElementsAtOnce = maxWhole.elements;

const charactersPerRow = 100;
const rowsOf: Readonly<Record<string, number>> = {
  ...{ p: 1, br: 1, li: 1, tr: 1, hr: 1, h1: 2, h2: 2, h3: 1, h4: 1, h5: 1, h6: 1, img: 8 },
};
const voidElements = new Set(["br", "hr", "img", "wbr", "input", "source", "col"]);
/** A tag that nothing ends, because of a quotation mark for example, takes the rest, as in a browser; so no text is read twice. */
const token = /<(\/?)([a-z][a-z0-9-]*)(?:"[^"]*"|[^">])*(?:>|"[^"]*$|$)|[^<]+|</gi;
/** A formula in parts is not readable. */
const formula = /\bclass="katex/;

/** Where what follows `from` no longer fits into `room`; undefined if all of it does. Reads no more than that. */
function placeAfter(html: string, from: Place, room: Room): Place | undefined {
  const open = [...from.open];
  const names = open.map((tag) => /^<([a-z0-9-]+)/i.exec(tag)?.[1]?.toLowerCase() ?? "");
  let [elements, rows] = [0, 0];
  let formulaDepth = 0;
  token.lastIndex = from.at;
  for (let match = token.exec(html); match; match = token.exec(html)) {
    const [text, closing, tagName] = match;
    if (tagName === undefined) {
      const isCode = names.includes("pre");
      const length = formulaDepth > 0 ? undefined : fittingLength(text, room.rows - rows, isCode);
      if (length !== undefined) return { at: match.index + length, open };
      rows += rowsIn(text, isCode);
      continue;
    }
    const name = tagName.toLowerCase();
    if (closing) {
      const depth = names.lastIndexOf(name);
      if (depth < 0) continue;
      open.length = depth;
      names.length = depth;
      if (depth < formulaDepth) formulaDepth = 0;
      continue;
    }
    const isFull = elements >= room.elements || rows >= room.rows;
    if (isFull && formulaDepth === 0 && match.index > from.at) return { at: match.index, open };
    elements++;
    rows += rowsOf[name] ?? 0;
    if (voidElements.has(name) || text.endsWith("/>")) continue;
    open.push(text);
    names.push(name);
    if (formulaDepth === 0 && formula.test(text)) formulaDepth = open.length;
  }
  return undefined;
}

const rowsIn = (text: string, isCode: boolean) =>
  isCode ? text.split("\n").length - 1 : text.length / charactersPerRow;

/** How much of a text fits into so many rows; undefined if all of it does. Cuts at white space only, never in an entity. */
function fittingLength(text: string, rows: number, isCode: boolean): number | undefined {
  if (rowsIn(text, isCode) <= rows) return undefined;
  let at = isCode ? 0 : Math.max(0, Math.floor(rows * charactersPerRow));
  for (let row = 0; isCode && row < rows; row++) at = text.indexOf("\n", at) + 1;
  if (isCode) return at;
  const space = text.indexOf(" ", at);
  return space < 0 ? undefined : space;
}

export interface Parts {
  /** What to show, each by itself. */
  shown: readonly string[];
  /** Whether the content is cut at all. */
  isLong: boolean;
  /** What is not shown. */
  rest: string;
}

/** Content in parts: the beginning, if it is long and `count` is 0, or else so many parts. */
export function partsOf(html: string, count: number): Parts {
  const start: Place = { at: 0, open: [] };
  if (!placeAfter(html, start, maxWhole)) return { shown: [html], isLong: false, rest: "" };
  const shown: string[] = [];
  let place: Place | undefined = start;
  for (let part = 0; place && part < Math.max(1, count); part++) {
    const end: Place | undefined = placeAfter(html, place, count === 0 ? beginning : maxPart);
    shown.push(place.open.join("") + html.slice(place.at, end?.at));
    place = end;
  }
  return { shown, isLong: true, rest: place ? html.slice(place.at) : "" };
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** The text of HTML, without building its elements. */
export const plainText = (html: string) =>
  html
    .replace(token, (text, _, name) => (name === undefined ? text : " "))
    .replace(/&(#?\w+);/g, (all, name) => entities[name] ?? all);

/** About how many elements HTML has; counts no more than `max`. */
export function elementsIn(html: string, max: number): number {
  let count = 0;
  for (let at = html.indexOf("<"); at >= 0 && count < max; at = html.indexOf("<", at + 1))
    if (html[at + 1] !== "/") count++;
  return count;
}
