import { Element } from "../element.ts";
import type { InlineRule } from "./parser.ts";
import { pattern } from "./pattern.ts";

/** A line end within a paragraph is a line break. */
export const lineBreak: InlineRule = pattern(
  "line_break",
  "\n",
  () => /\n/g,
  () => new Element("br"),
);

/** An entity, such as `&copy;`, is kept as it is written. */
export const entity: InlineRule = pattern(
  "entity",
  "&",
  () => /&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z0-9]+);/g,
  (match, inline) => inline.state.html.store(match[0]),
);
