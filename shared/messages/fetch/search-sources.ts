import { conversationName } from "../../store/messages/conversations.ts";
import { findNewestIndexed, type Posting, readPostings } from "../../store/messages/search-index.ts";
import { type Reader, wasSubscribed } from "../reader.ts";
import { indexedQueryWords } from "../search/index-words.ts";
import { filterUntil, type Source, within } from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

/** How many postings of a word are read to estimate how rare it is. */
const maxProbedPostings = 100;

/** How many words are probed to find the rarest: the longest ones, as long words tend to be rarer. */
const maxProbedWords = 10;

/**
 * The sources of a search's candidates: the postings of its rarest word as far as the index reaches, and all newer messages of
 * the narrow. Undefined if no word of the query can be looked up, for example in a search for a phrase.
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
  const newestIndexed = await findNewestIndexed();
  const [word, unindexedSources] = await Promise.all([
    findRarestWord(words, newestIndexed),
    sourcesWithoutSearch(),
    reader.subscriptions(),
  ]);
  const isCandidate = (posting: Posting) => mayMatch(reader, terms, receivedOnly, posting);
  const indexed: Source = (range) => filterUntil((page) => readPostings(word, page), isCandidate, range);
  return [
    within([[0, newestIndexed + 1]], indexed),
    ...unindexedSources.map((source) => within([[newestIndexed + 1]], source)),
  ];
}

/** Among the longest words, the one with the fewest postings; of several with many, the one whose postings go back farthest. */
async function findRarestWord(words: readonly string[], newestIndexed: number): Promise<string> {
  const longestWords = words.toSorted((a, b) => b.length - a.length).slice(0, maxProbedWords);
  const probes = await Promise.all(
    longestWords.map(async (word) => {
      const range = { from: 0, to: newestIndexed, descending: true, limit: maxProbedPostings };
      const postings = words.length > 1 ? await readPostings(word, range) : [];
      return { word, count: postings.length, oldest: postings.at(-1)?.id ?? 0 };
    }),
  );
  probes.sort((a, b) => a.count - b.count || a.oldest - b.oldest);
  return (probes[0] as { word: string }).word;
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
