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
  /** Estimated: lines of code, items, rows of tables, paragraphs, and `charactersPerRow` Latin characters of text each. */
  rows: number;
}

/** What is longer is cut. */
const maxWhole: Room = { elements: 1200, rows: 80 };
/** The beginning that is shown of what is cut. */
const beginning: Room = { elements: 400, rows: 40 };
/** What each further part may have. Most long messages have one. */
const maxPart: Room = { elements: 1200, rows: 1000 };

/** What has more elements than fit into the beginning, and more than so many in each row, is cut, too: many of it are on a screen. */
const maxElementsPerRow = 20;

const charactersPerRow = 100;
/** How many Latin characters another one takes as much time and place as, for which browsers may have to look for a font. */
const otherCharacterWidth = 2;
/** How far from where a text is full a space is looked for, at which to cut it. */
const maxToSpace = 100;
const rowsOf: Readonly<Record<string, number>> = {
  ...{ p: 1, br: 1, li: 1, tr: 1, hr: 1, h1: 2, h2: 2, h3: 1, h4: 1, h5: 1, h6: 1, img: 8 },
};
/** How many elements count as much as one of these, which browsers make of many. */
const elementsOf: Readonly<Record<string, number>> = { audio: 40, video: 40 };
const voidElements = new Set(["br", "hr", "img", "wbr", "input", "source", "col"]);
/** A tag that nothing ends, because of a quotation mark for example, takes the rest, as in a browser; so no text is read twice. */
const token = /<(\/?)([a-z][a-z0-9-]*)(?:"[^"]*"|[^">])*(?:>|"[^"]*$|$)|[^<]+|</gi;
/** A formula in parts is not readable; a larger one is a part by itself, which is not shown at once. */
const formula = /\bclass="katex/;
const maxFormula = 800;

/** Where what follows `from` no longer fits into `room`; undefined if all of it does. Reads no more than that. */
function placeAfter(html: string, from: Place, room: Room, maxPerRow = Number.POSITIVE_INFINITY): Place | undefined {
  const open = [...from.open];
  const names = open.map((tag) => /^<([a-z0-9-]+)/i.exec(tag)?.[1]?.toLowerCase() ?? "");
  let [elements, rows] = [0, 0];
  let formulaDepth = 0;
  let [beforeFormula, elementsBefore] = [from, 0];
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
    elements += elementsOf[name] ?? 1;
    const isLargeFormula = formulaDepth > 0 && elements - elementsBefore > maxFormula;
    if (isLargeFormula && (room !== maxPart || beforeFormula.at > from.at)) return beforeFormula;
    rows += rowsOf[name] ?? 0;
    if (voidElements.has(name) || text.endsWith("/>")) continue;
    if (formulaDepth === 0 && formula.test(text)) {
      formulaDepth = open.length + 1;
      [beforeFormula, elementsBefore] = [{ at: match.index, open: [...open] }, elements];
    }
    open.push(text);
    names.push(name);
  }
  const isDense = elements > beginning.elements && elements > maxPerRow * rows && !formula.test(html);
  return isDense ? { at: html.length, open } : undefined;
}

const rowsIn = (text: string, isCode: boolean) =>
  isCode ? text.split("\n").length - 1 : widthOf(text) / charactersPerRow;

/** In Latin characters. */
const widthOf = (text: string) => text.length + (otherCharacterWidth - 1) * (text.match(notLatin)?.length ?? 0);
const notLatin = /[^\0-\u024f]/g;

/** How much of a text fits into so many rows; undefined if all of it does. Cuts at a space if one is near, and never in an entity. */
function fittingLength(text: string, rows: number, isCode: boolean): number | undefined {
  if (rowsIn(text, isCode) <= rows) return undefined;
  let at = 0;
  for (let row = 0; isCode && row < rows; row++) at = text.indexOf("\n", at) + 1;
  if (isCode) return at;
  for (let width = Math.max(0, rows) * charactersPerRow; width > 0 && at < text.length; at++)
    width -= (text.codePointAt(at) ?? 0) > 0x24f ? otherCharacterWidth : 1;
  const space = text.indexOf(" ", at);
  if (space >= 0 && space - at <= maxToSpace) return space;
  return afterCharacter(text, at);
}

/** The first place from `at` on that is not within a character, a letter with its marks or an entity. */
function afterCharacter(text: string, at: number): number | undefined {
  const entity = text.lastIndexOf("&", at);
  const end = entity < 0 || at - entity > maxEntityLength ? -1 : text.indexOf(";", entity);
  let place = end >= at && end - entity <= maxEntityLength ? end + 1 : at;
  for (; place < at + maxToSpace && belongsToLast.test(text.slice(place, place + 2)); place++);
  return place < text.length ? place : undefined;
}

const maxEntityLength = 10;
/** The second half of a character in UTF-16, a mark, a joiner, or what is joined. */
const belongsToLast = /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u;

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
  if (!placeAfter(html, start, maxWhole, maxElementsPerRow)) return { shown: [html], isLong: false, rest: "" };
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

/** About how many elements take as long to be shown as what is shown of HTML before the reader asks for more. */
export function elementsShownOf(html: string): number {
  const shown = html.length < beginning.elements ? html : (partsOf(html, 0).shown[0] ?? "");
  // What is hidden is still read.
  let count = shown.length / charactersPerElement + (html.length - shown.length) / hiddenPerElement;
  for (const [, name = ""] of shown.matchAll(/<([a-z]+)/g)) count += elementsOf[name] ?? 1;
  return count;
}
const charactersPerElement = 10;
const hiddenPerElement = 500;
