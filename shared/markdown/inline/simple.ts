import { atomicElement, Element } from "../element.ts";
import { renderTex } from "../tex.ts";
import { parseTime } from "../time.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** A newline within a paragraph is a line break. */
export const lineBreak: InlineRule = pattern(
  "\n",
  () => /\n/g,
  () => new Element("br"),
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
    const html = renderTex(state.inputs, formula, false);
    return html === undefined ? atomicElement("span", { class: "tex-error" }, whole) : state.html.store(html);
  },
);

/** `<time:...>`: a time that clients show in the reader's time zone. */
export const timestampRule: InlineRule = pattern(
  "<time:",
  () => /<time:([^>]*)>/g,
  ([, text = ""]) => {
    const time = parseTime(text);
    return time === undefined
      ? atomicElement("span", { class: "timestamp-error" }, `Invalid time format: ${text}`)
      : atomicElement("time", { datetime: time }, text);
  },
);

/** `***both***`, without spaces at its ends, and without `*` or `^` in its text. */
export const strongEmphasis: InlineRule = pattern(
  "***",
  () => /\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g,
  ([, text]) => {
    const strong = new Element("strong");
    strong.add("em", {}, text);
    return strong;
  },
);

/** `**strong**`, on one line. */
export const strong: InlineRule = pattern(
  "**",
  () => /\*\*([^\n]+?)\*\*/g,
  (match) => new Element("strong", {}, match[1]),
);

/** `*emphasis*`, without spaces at its ends, so that the product `a * b * c` is not emphasized. */
export const emphasis: InlineRule = {
  ...pattern(
    "*",
    () => /\*(?!\s)([^*^\n]+)(?<!\s)\*/g,
    (match) => new Element("em", {}, match[1]),
  ),
  pairsAround: "*",
};

/** `~~deleted~~`. */
export const deletion: InlineRule = pattern(
  "~~",
  () => /(?<!~)~~([^~\n]+)~~(?!~)/g,
  (match) => new Element("del", {}, match[1]),
);
