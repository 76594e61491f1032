import { readHead } from "../../../store/log/log.ts";
import { conversationName } from "../../../store/messages/conversations.ts";
import type { RangeQuery } from "../../../store/messages/messages.ts";
import { estimateShare, lookUp, type Manifest, readManifest } from "../../../store/messages/search-index.ts";
import type { Posting, WordRange } from "../../../store/messages/search-segments.ts";
import { type Reader, wasSubscribed } from "../reader.ts";
import { indexLookUps } from "../search/look-ups.ts";
import type { Search } from "../search/query.ts";
import { allMessagesSource, listSource, type Source, selectUntil, within } from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

/** Of how many words the frequency is estimated to find the rarest: the longest ones, as long words tend to be rarer. */
const maxEstimatedWords = 10;

/** So many more words are looked up among the messages with the rarest, before these are read. */
const maxOtherWords = 3;
/** Fewer messages are read without looking up more words. */
const minLookedUp = 10;
/** A word that so many messages have, from the first to the last of those with the rarest, costs more than it rules out. */
const maxOtherPostings = 3000;

/** With more sources than this, the newest messages, which are few, are read by their IDs instead. */
const maxNewestSources = 16;

/**
 * The sources of a search's candidates: the messages that the index has under its rarest words, those that have changed since
 * they were indexed, and all newer messages of the narrow. Undefined if nothing of the query can be looked up, for example in a
 * search for a phrase.
 */
export async function searchSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  search: Search,
  receivedOnly: boolean,
  sourcesWithoutSearch: () => Promise<Source[]>,
): Promise<Source[] | undefined> {
  const words = indexLookUps(search);
  if (words.length === 0) return undefined;
  const [manifest, narrowSources] = await Promise.all([readManifest(), sourcesWithoutSearch(), reader.subscriptions()]);
  const [rarestFirst, newestSources] = await Promise.all([
    sortByFrequency(manifest, words),
    narrowSources.length > maxNewestSources ? [allMessagesSource((await readHead()).message)] : narrowSources,
  ]);
  const [rarest = { ranges: [], share: 0 }, ...others] = rarestFirst;
  const isCandidate = (posting: Posting) => mayMatch(reader, terms, receivedOnly, posting);
  const indexed: Source = (range) =>
    selectUntil(
      (page) => lookUp(manifest, rarest.ranges, page),
      async (postings) =>
        withAll(manifest, others.slice(0, maxOtherWords), postings.filter(isCandidate), range.descending),
      range,
    );
  return [
    indexed,
    listSource(manifest.changed),
    ...newestSources.map((source) => within([[manifest.indexedTo + 1]], source)),
  ];
}

interface Word {
  /** The terms under which the index has it. */
  ranges: readonly WordRange[];
  /** About which share of the messages has it, from 0 to 1; 0 of the only word, whose share does not matter. */
  share: number;
}

/** The longest words, the one that the fewest messages contain first. */
async function sortByFrequency(manifest: Manifest, words: readonly WordRange[][]): Promise<Word[]> {
  const lengthOf = (ranges: readonly WordRange[]) => Math.min(...ranges.map(({ beginning }) => beginning.length));
  const longest = words.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, maxEstimatedWords);
  if (longest.length === 1) return longest.map((ranges) => ({ ranges, share: 0 }));
  const estimated = longest.map(async (ranges) => ({ ranges, share: await estimateShare(manifest, ranges) }));
  return (await Promise.all(estimated)).sort((a, b) => a.share - b.share);
}

/**
 * The postings of messages that the index has under the other words, too. A look-up costs less than to read ten messages. Frequent
 * words are not looked up: they would rule out few messages, or be read for many that do not have the rarest.
 */
async function withAll(
  manifest: Manifest,
  words: readonly Word[],
  postings: Posting[],
  descending: boolean,
): Promise<Posting[]> {
  let left = postings;
  for (const { ranges, share } of words) {
    if (left.length * (1 - share) < minLookedUp) break;
    const ids = left.map(({ id }) => id);
    const [from, to] = [Math.min(...ids), Math.max(...ids)];
    if ((to - from) * share > maxOtherPostings) break;
    const query: RangeQuery = { from, to, descending, limit: maxOtherPostings };
    const others = await lookUp(manifest, ranges, query);
    if (others.length === maxOtherPostings) continue;
    const having = new Set(others.map(({ id }) => id));
    left = left.filter(({ id }) => having.has(id));
  }
  return left;
}

/** Rules out postings by their channel or conversation, before their messages are read and tested. */
function mayMatch(reader: Reader, terms: readonly ResolvedTerm[], receivedOnly: boolean, posting: Posting): boolean {
  const { channelId, userIds = [], id } = posting;
  const matchesTerms = terms.every((term) => {
    if (term.negated) return true;
    if (term.kind === "channel") return channelId === term.id;
    if (term.kind === "dm") return conversationName(userIds) === conversationName(term.userIds);
    return true;
  });
  if (!matchesTerms) return false;
  if (channelId === undefined) return reader.caller !== undefined && userIds.includes(reader.caller.id);
  return !receivedOnly || wasSubscribed(reader.subscription(channelId), id);
}
