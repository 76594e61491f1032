import { readHead } from "../../store/log/log.ts";
import { conversationName } from "../../store/messages/conversations.ts";
import { estimateFrequency, lookUp, type Manifest, readManifest } from "../../store/messages/search-index.ts";
import type { Posting } from "../../store/messages/search-segments.ts";
import { type Reader, wasSubscribed } from "../reader.ts";
import { indexedQueryWords } from "../search/index-words.ts";
import { allMessagesSource, filterUntil, listSource, type Source, within } from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

/** Of how many words the frequency is estimated to find the rarest: the longest ones, as long words tend to be rarer. */
const maxEstimatedWords = 10;

/** With more sources than this, the newest messages, which are few, are read by their IDs instead. */
const maxNewestSources = 16;

/**
 * The sources of a search's candidates: the messages that the index has under its rarest word, those that have changed since
 * they were indexed, and all newer messages of the narrow. Undefined if no word of the query can be looked up, for example in a
 * search for a phrase.
 */
export async function searchSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  query: string,
  receivedOnly: boolean,
  sourcesWithoutSearch: () => Promise<Source[]>,
): Promise<Source[] | undefined> {
  const words = indexedQueryWords(query);
  if (words.length === 0) return undefined;
  const [manifest, narrowSources] = await Promise.all([readManifest(), sourcesWithoutSearch(), reader.subscriptions()]);
  const [word, newestSources] = await Promise.all([
    findRarestWord(manifest, words),
    narrowSources.length > maxNewestSources ? [allMessagesSource((await readHead()).message)] : narrowSources,
  ]);
  const isCandidate = (posting: Posting) => mayMatch(reader, terms, receivedOnly, posting);
  const indexed: Source = (range) => filterUntil((page) => lookUp(manifest, word, page), isCandidate, range);
  return [
    indexed,
    listSource(manifest.changed),
    ...newestSources.map((source) => within([[manifest.indexedTo + 1]], source)),
  ];
}

/** Among the longest words, the one that the fewest messages contain. */
async function findRarestWord(manifest: Manifest, words: readonly string[]): Promise<string> {
  const longestWords = words.toSorted((a, b) => b.length - a.length).slice(0, maxEstimatedWords);
  if (longestWords.length === 1) return longestWords[0] as string;
  const estimates = await Promise.all(
    longestWords.map(async (word) => ({ word, frequency: await estimateFrequency(manifest, word) })),
  );
  return estimates.reduce((rarest, other) => (other.frequency < rarest.frequency ? other : rarest)).word;
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
