import { atomicElement } from "../element.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import { readDestination } from "./link-destination.ts";
import type { InlineMatch, InlineParser, InlineRule } from "./parser.ts";

// The search goes on within each destination that turns out to be none, or has no closing parenthesis. Without a limit, hostile
// content would take quadratic time.
const maxRereadings = 20;

/** Reading a destination again takes several times as long as reading the text for a simpler construct. */
const readAgainCost = 10;

/** `[text](url)`. The text may contain only constructs of higher precedence than links, such as code. */
export const link: InlineRule = {
  mayOccur: (text) => text.includes("]("),
  *find(text, inline): Iterable<InlineMatch> {
    const closingIndexes = closingIndexesOf(text, "[", "]");
    const parentheses = closingIndexesOf(text, "(", ")");
    // In quotation marks and angle brackets, parentheses need not be in pairs.
    const lastSign = Math.max(text.lastIndexOf("'"), text.lastIndexOf('"'), text.lastIndexOf("<"));
    let previousEnd = 0;
    let toReread = maxRereadings * text.length;
    for (let open = text.indexOf("["); open !== -1 && toReread > 0; open = text.indexOf("[", open + 1)) {
      if (open < previousEnd || text[open - 1] === "!") continue;
      const close = closingIndexes.get(open);
      if (close === undefined || text[close + 1] !== "(") continue;
      // Without reading to the end of the text that nothing closes it.
      if (lastSign < close && !parentheses.has(close + 1)) continue;
      const destination = readDestination(text, close + 1);
      const node = destination && linkElement(inline, text.slice(open + 1, close), destination.href, destination.title);
      if (!node) {
        // The next search begins within what has been read.
        const length = (destination?.end ?? text.length) - open;
        inline.state.budget.takeCharacters(readAgainCost * length);
        toReread -= length;
        continue;
      }
      yield { start: open, end: destination.end, node };
      previousEnd = destination.end;
    }
  },
};

function linkElement(inline: InlineParser, text: string, target: string, title: string | undefined) {
  const url = safeUrl(inline.plainText(target).trim());
  if (url === undefined) return undefined;
  const href = relativeUrl(url, inline.state.inputs.realmUrl);
  const attributes: Record<string, string> = { href };
  if (title !== undefined) attributes.title = inline.plainText(title.trim()).replace(/\s/g, " ");
  return atomicElement(inline.state.budget, "a", attributes, text.trim() === "" ? href : text);
}

/** The index of the closing sign of each pair, by that of the opening one. */
function closingIndexesOf(text: string, opening: string, closing: string): Map<number, number> {
  const openIndexes: number[] = [];
  const closingIndexes = new Map<number, number>();
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === opening) openIndexes.push(index);
    else if (text[index] === closing) {
      const start = openIndexes.pop();
      if (start !== undefined) closingIndexes.set(start, index);
    }
  }
  return closingIndexes;
}
