import { atomicElement } from "../element.ts";
import type { CompiledLinkifier } from "../linkifiers.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import { findUrls } from "./find-urls.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";

/** Bare URLs, host names with known top-level domains, and e-mail addresses. */
export const autolink: InlineRule = {
  mayOccur: (text) => text.includes(".") || text.includes("://") || text.includes("bitcoin:"),
  *find(text, inline): Iterable<InlineMatch> {
    const { inputs, budget } = inline.state;
    for (const { start, end } of findUrls(text, inputs.topLevelDomains)) {
      // The URL may contain marks of constructs of higher precedence, such as code. In the link's target, their plain text
      // replaces the marks.
      const url = text.slice(start, end);
      const safe = safeUrl(inline.plainText(url));
      const node =
        safe === undefined ? url : atomicElement(budget, "a", { href: relativeUrl(safe, inputs.realmUrl) }, url);
      yield { start, end, node };
    }
  },
};

export function linkifierRule(linkifier: CompiledLinkifier): InlineRule {
  return {
    once: true,
    mayOccur: () => true,
    *find(text, inline): Iterable<InlineMatch> {
      const matches = linkifier.matches(text, inline.state.matchBudget, (part) => inline.plainText(part));
      for (const { start, end, url } of matches) {
        const safe = safeUrl(url);
        // What is no URL would lead to the page itself.
        if (!safe) continue;
        const href = relativeUrl(safe, inline.state.inputs.realmUrl);
        yield { start, end, node: atomicElement(inline.state.budget, "a", { href }, text.slice(start, end)) };
      }
    },
  };
}
