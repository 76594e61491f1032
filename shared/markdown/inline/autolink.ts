import { atomicElement } from "../element.ts";
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
