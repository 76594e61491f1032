import { atomicElement } from "../element.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";
import { endOfUrl } from "./url-scan.ts";

/** URLs, host names of known top-level domains and e-mail addresses as they stand in the text. */
export const autolink: InlineRule = {
  name: "autolink",
  mayOccur: (text) => text.includes(".") || text.includes("://") || text.includes("bitcoin:"),
  *find(text, inline): Iterable<InlineMatch> {
    const { facts } = inline.state;
    for (const { start: from, end } of findUrls(text, facts.topLevelDomains)) {
      // The text may hold marks of constructs found before, such as code; it shows them, the target is their text.
      const url = text.slice(from, end);
      const safe = safeUrl(inline.plainText(url));
      const node = safe === undefined ? url : atomicElement("a", { href: relativeUrl(safe, facts.realmUrl) }, url);
      yield { start: from, end, node };
    }
  },
};

/** Where URLs stand in a text, from left to right. */
export function* findUrls(text: string, domains: ReadonlySet<string>): Iterable<{ start: number; end: number }> {
  let position = 0;
  for (const word of text.matchAll(/\S+/g)) {
    const wordEnd = word.index + word[0].length;
    if (!/[.:]/.test(word[0])) continue;
    // What may follow a URL in its word: closing punctuation only.
    let punctuation = wordEnd;
    while (punctuation > word.index && `!:;?),.'">`.includes(text[punctuation - 1]!)) punctuation -= 1;
    const limits = { end: wordEnd, punctuation };
    position = Math.max(position, word.index);
    for (const candidate of word[0].matchAll(/(?<![^'"(,:<])[^'"(,:<]/g)) {
      const from = word.index + candidate.index;
      if (from < position) continue;
      const end = endOfUrl(text, from, limits, domains);
      if (end === undefined) continue;
      yield { start: from, end };
      position = end;
    }
  }
}
