import { findUrls } from "./inline/find-urls.ts";
import type { Linkifier } from "./linkifiers.ts";
import { loadLinkifiers, loadTopLevelDomains } from "./load-parts.ts";
import { newScanBudget, type ScanBudget } from "./scan-budget.ts";
import { safeUrl, splitUrl } from "./urls.ts";

export interface TopicLink {
  text: string;
  url: string;
}

interface Candidate extends TopicLink {
  /** Where it counts as beginning: as in the service, at the delimiter before it, or at its piece of the topic. */
  start: number;
}

const separator = /[ !;),'"]/;

/** The links of a topic: linkifiers in their order, then plain URLs where none of them matched; sorted by place. */
export async function topicLinks(
  topic: string,
  linkifiers: readonly { pattern: string; urlTemplate: string }[],
): Promise<TopicLink[]> {
  const budget = newScanBudget();
  const candidates = (await loadLinkifiers(linkifiers)).flatMap((linkifier) => linkified(topic, linkifier, budget));
  if (topic.includes(".")) candidates.push(...plainUrls(topic, await loadTopLevelDomains()));
  const applied: Candidate[] = [];
  for (const candidate of candidates) {
    // A linkifier may make any URL out of a topic; one that no browser should follow is no link.
    if (!safeUrl(candidate.url)) continue;
    if (!applied.some((earlier) => overlap(earlier, candidate))) applied.push(candidate);
  }
  return applied.sort((a, b) => a.start - b.start).map(({ text, url }) => ({ text, url }));
}

function linkified(topic: string, linkifier: Linkifier, budget: ScanBudget): Candidate[] {
  return [...linkifier.matches(topic, budget)].map(({ outerStart, start, end, url }) => ({
    start: outerStart,
    text: topic.slice(start, end),
    url,
  }));
}

function plainUrls(topic: string, domains: ReadonlySet<string>): Candidate[] {
  const found: Candidate[] = [];
  let start = 0;
  // Piece by piece: a URL in a topic ends at punctuation that could be part of one in a message.
  for (const piece of topic.split(separator)) {
    for (const url of findUrls(piece, domains)) {
      const text = piece.slice(url.start, url.end);
      found.push({ start, text, url: splitUrl(text)?.scheme ? text : `https://${text}` });
      break;
    }
    start += piece.length + 1;
  }
  return found;
}

function overlap(a: Candidate, b: Candidate): boolean {
  return a.start < b.start + b.text.length && b.start < a.start + a.text.length;
}
