import { atomicElement } from "../element.ts";
import type { Linkifier } from "../linkifiers.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import { findUrls } from "./find-urls.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";

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

/** The rule of one of the organization's linkifiers. */
export function linkifierRule(linkifier: Linkifier): InlineRule {
  return {
    name: "linkifier",
    once: true,
    mayOccur: () => true,
    *find(text, inline): Iterable<InlineMatch> {
      for (const { start, end, url } of linkifier.matches(text, inline.state.scanBudget)) {
        const safe = safeUrl(inline.plainText(url));
        if (safe === undefined) continue;
        const href = relativeUrl(safe, inline.state.facts.realmUrl);
        yield { start, end, node: atomicElement("a", { href }, text.slice(start, end)) };
      }
    },
  };
}
