import { atomicElement } from "../element.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import { readDestination } from "./link-destination.ts";
import type { InlineMatch, InlineParser, InlineRule } from "./parser.ts";

// Each unclosed destination costs a scan to the end of the text. The limit keeps hostile content from taking quadratic time.
const maxFailures = 50;

/** `[text](url)`. Its text contains only constructs of higher precedence, such as code. */
export const link: InlineRule = {
  name: "link",
  mayOccur: (text) => text.includes("]("),
  *find(text, inline): Iterable<InlineMatch> {
    const closing = closingBrackets(text);
    let position = 0;
    let failures = 0;
    for (let open = text.indexOf("["); open !== -1 && failures < maxFailures; open = text.indexOf("[", open + 1)) {
      if (open < position || text[open - 1] === "!") continue;
      const close = closing.get(open);
      if (close === undefined || text[close + 1] !== "(") continue;
      const destination = readDestination(text, close + 1);
      if (!destination) failures += 1;
      const node = destination && linkElement(inline, text.slice(open + 1, close), destination.href, destination.title);
      if (!node) continue;
      yield { start: open, end: destination.end, node };
      position = destination.end;
    }
  },
};

function linkElement(inline: InlineParser, text: string, target: string, title: string | undefined) {
  const safe = safeUrl(inline.plainText(target).trim());
  if (safe === undefined) return undefined;
  const href = relativeUrl(safe, inline.state.inputs.realmUrl);
  const attributes: Record<string, string> = { href };
  if (title !== undefined) attributes.title = inline.plainText(title.trim()).replace(/\s/g, " ");
  return atomicElement("a", attributes, text.trim() === "" ? href : text);
}

/** Maps the index of each opening bracket to that of its closing one. */
function closingBrackets(text: string): Map<number, number> {
  const open: number[] = [];
  const closing = new Map<number, number>();
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "[") open.push(index);
    else if (text[index] === "]") {
      const start = open.pop();
      if (start !== undefined) closing.set(start, index);
    }
  }
  return closing;
}
