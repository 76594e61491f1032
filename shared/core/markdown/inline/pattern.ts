import type { Element } from "../element.ts";
import type { InlineMatch, InlineParser, InlineRule } from "./parser.ts";

/**
 * A rule by a regular expression, for text that contains `sign`. `handle` returns undefined for a match that turns out not to
 * be such a construct.
 */
export function pattern(
  sign: string,
  expression: () => RegExp,
  handle: (match: RegExpExecArray, inline: InlineParser) => Element | string | undefined,
): InlineRule {
  return {
    mayOccur: (text) => text.includes(sign),
    *find(text, inline): Iterable<InlineMatch> {
      for (const match of text.matchAll(expression())) {
        const node = handle(match, inline);
        if (node !== undefined) yield { start: match.index, end: match.index + match[0].length, node };
      }
    },
  };
}
