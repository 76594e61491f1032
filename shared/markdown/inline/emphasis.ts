import { Element } from "../element.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** `***both***`, which must touch its text and hold neither `*` nor `^`. */
export const strongEmphasis: InlineRule = pattern(
  "strong_em",
  "***",
  () => /\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g,
  (match) => {
    const strong = new Element("strong");
    strong.add("em", {}, match[1]!);
    return strong;
  },
);

/** `**strong**`, on one line. */
export const strong: InlineRule = pattern(
  "strong",
  "**",
  () => /\*\*([^\n]+?)\*\*/g,
  (match) => new Element("strong", {}, match[1]),
);

/** `*emphasis*`, which must touch its text, so that a product `a * b * c` is none. */
export const emphasis: InlineRule = {
  ...pattern(
    "emphasis",
    "*",
    () => /\*(?!\s)([^*^\n]+)(?<!\s)\*/g,
    (match) => new Element("em", {}, match[1]),
  ),
  pairsAround: "*",
};

/** `~~deleted~~`. */
export const deletion: InlineRule = pattern(
  "del",
  "~~",
  () => /(?<!~)~~([^~\n]+)~~(?!~)/g,
  (match) => new Element("del", {}, match[1]),
);
