import { atomicElement, Element } from "../element.ts";
import type { RenderState } from "../state.ts";
import { renderTex } from "../tex.ts";
import { parseTime } from "../time.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** A newline within a paragraph is a line break. */
export const lineBreak: InlineRule = pattern(
  "\n",
  () => /\n/g,
  (_, { state }) => new Element(state.budget, "br"),
);

/** An entity, such as `&copy;`, is kept as it is written. */
export const entity: InlineRule = pattern(
  "&",
  () => /&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z0-9]+);/g,
  (match, inline) => inline.state.html.store(match[0]),
);

const word = "[\\p{L}\\p{N}_]";

/** `$$formula$$` on one line, not next to a word or further dollar signs. */
export const inlineTex: InlineRule = pattern(
  "$$",
  () => new RegExp(`(?<!${word}|\\$)\\$\\$([^\\n_$](?:\\\\\\$|[^$\\n])*)\\$\\$(?!\\$|${word})`, "gu"),
  ([whole, formula = ""], { state }) => {
    const html = renderTex(state, formula, false);
    return html === undefined
      ? atomicElement(state.budget, "span", { class: "tex-error" }, whole)
      : state.html.store(html);
  },
);

/** `<time:...>`: a time that clients show in the reader's time zone. */
export const timestampRule: InlineRule = {
  mayOccur: (text) => text.includes(timeOpening),
  // Not a regular expression, because one reads the rest of the text for each opening without an end.
  *find(text, { state }): Iterable<InlineMatch> {
    for (let start = text.indexOf(timeOpening); start !== -1; ) {
      const close = text.indexOf(">", start);
      if (close === -1) return;
      yield { start, end: close + 1, node: timeElement(state, text.slice(start + timeOpening.length, close)) };
      start = text.indexOf(timeOpening, close);
    }
  },
};

const timeOpening = "<time:";

function timeElement({ budget }: RenderState, text: string): Element {
  const time = parseTime(text);
  return time === undefined
    ? atomicElement(budget, "span", { class: "timestamp-error" }, `Invalid time format: ${text}`)
    : atomicElement(budget, "time", { datetime: time }, text);
}

/** `***both***`, without spaces at its ends, and without `*` or `^` in its text. */
export const strongEmphasis: InlineRule = pattern(
  "***",
  () => /\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g,
  ([, text], { state }) => {
    const strong = new Element(state.budget, "strong");
    strong.add("em", {}, text);
    return strong;
  },
);

/** `**strong**`, on one line. */
export const strong: InlineRule = pattern(
  "**",
  () => /\*\*([^\n]+?)\*\*/g,
  (match, { state }) => new Element(state.budget, "strong", {}, match[1]),
);

/** `*emphasis*`, without spaces at its ends, so that the product `a * b * c` is not emphasized. */
export const emphasis: InlineRule = {
  ...pattern(
    "*",
    () => /\*(?!\s)([^*^\n]+)(?<!\s)\*/g,
    (match, { state }) => new Element(state.budget, "em", {}, match[1]),
  ),
  pairsAround: "*",
};

/** `~~deleted~~`. */
export const deletion: InlineRule = pattern(
  "~~",
  () => /(?<!~)~~([^~\n]+)~~(?!~)/g,
  (match, { state }) => new Element(state.budget, "del", {}, match[1]),
);
