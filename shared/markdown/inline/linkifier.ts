import { atomicElement } from "../element.ts";
import type { Linkifier } from "../linkifiers.ts";
import { relativeUrl, safeUrl } from "../urls.ts";
import type { InlineMatch, InlineRule } from "./parser.ts";

/** The rule of one of the organization's linkifiers. */
export function linkifierRule(linkifier: Linkifier): InlineRule {
  return {
    name: "linkifier",
    once: true,
    mayOccur: () => true,
    *find(text, inline): Iterable<InlineMatch> {
      for (const { start, end, url } of linkifier.matches(text)) {
        const safe = safeUrl(inline.plainText(url));
        if (safe === undefined) continue;
        const href = relativeUrl(safe, inline.state.facts.realmUrl);
        yield { start, end, node: atomicElement("a", { href }, text.slice(start, end)) };
      }
    },
  };
}
