import { findUrls } from "./inline/find-urls.ts";
import type { CompiledLinkifier } from "./linkifiers.ts";
import { loadLinkifiers, loadTopLevelDomains } from "./load-parts.ts";
import { type MatchBudget, newMatchBudget } from "./match-budget.ts";
import { safeUrl, splitUrl } from "./urls.ts";

export interface TopicLink {
  text: string;
  url: string;
}

interface Candidate extends TopicLink {
  /**
   * As in Zulip, the index of the delimiter before a linkifier's match, or that of the piece of the topic that contains a URL.
   */
  start: number;
}

const separator = /[ !;),'"]/;

/**
 * The links of a topic, by position. Matches of linkifiers, in their order, take precedence over plain URLs that overlap them.
 */
export async function topicLinks(
  topic: string,
  linkifiers: readonly { pattern: string; urlTemplate: string }[],
): Promise<TopicLink[]> {
  const budget = newMatchBudget();
  const candidates = (await loadLinkifiers(linkifiers)).flatMap((linkifier) =>
    linkifierMatches(topic, linkifier, budget),
  );
  if (topic.includes(".")) candidates.push(...findPlainUrls(topic, await loadTopLevelDomains()));
  const links: Candidate[] = [];
  for (const candidate of candidates) {
    // A linkifier may produce any URL: unsafe ones are left out, and one without a scheme leads where it does in a message.
    const url = safeUrl(candidate.url);
    if (url && !links.some((link) => overlap(link, candidate))) links.push({ ...candidate, url });
  }
  return links.sort((a, b) => a.start - b.start).map(({ text, url }) => ({ text, url }));
}

function linkifierMatches(topic: string, linkifier: CompiledLinkifier, budget: MatchBudget): Candidate[] {
  return [...linkifier.matches(topic, budget)].map(({ outerStart, start, end, url }) => ({
    start: outerStart,
    text: topic.slice(start, end),
    url,
  }));
}

function findPlainUrls(topic: string, domains: ReadonlySet<string>): Candidate[] {
  const found: Candidate[] = [];
  let start = 0;
  // Unlike in a message, a URL in a topic ends at any of the separators.
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
