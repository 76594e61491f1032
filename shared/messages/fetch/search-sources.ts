import { conversationName } from "../../store/messages/conversations.ts";
import { findNewestIndexed, type Posting, readPostings } from "../../store/messages/search-index.ts";
import { type Reader, wasSubscribed } from "../reader.ts";
import { lookedUpWords } from "../search/index-words.ts";
import { filterUntil, type Source, within } from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

/** Postings that are read of a word to estimate how rare it is. */
const probeSize = 100;

/** How many words are probed to find the rarest; the longest ones, as long words tend to be rarer. */
const maxProbedWords = 10;

/**
 * The candidates of a search: the postings of its rarest word as far as the index reaches, then all newer messages of the
 * narrow. Undefined when the index has none of the query's words, for example in a phrase search.
 */
export async function searchSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  query: string,
  personal: boolean,
  narrow: () => Promise<Source[]>,
): Promise<Source[] | undefined> {
  const words = lookedUpWords(query);
  if (words.length === 0) return undefined;
  const newestIndexed = await findNewestIndexed();
  const [word, rest] = await Promise.all([findRarestWord(words, newestIndexed), narrow(), reader.subscriptions()]);
  const wanted = (posting: Posting) => mayMatch(reader, terms, personal, posting);
  const indexed: Source = (range) => filterUntil((part) => readPostings(word, part), wanted, range);
  return [within([[0, newestIndexed + 1]], indexed), ...rest.map((source) => within([[newestIndexed + 1]], source))];
}

/** Among the longest words, the one with the fewest recent postings. */
async function findRarestWord(words: readonly string[], newestIndexed: number): Promise<string> {
  const likely = words.toSorted((a, b) => b.length - a.length).slice(0, maxProbedWords);
  const probes = await Promise.all(
    likely.map(async (word) => {
      const range = { from: 0, to: newestIndexed, descending: true, limit: probeSize };
      const found = words.length > 1 ? await readPostings(word, range) : [];
      return { word, count: found.length, oldest: found.at(-1)?.id ?? 0 };
    }),
  );
  probes.sort((a, b) => a.count - b.count || a.oldest - b.oldest);
  return (probes[0] as { word: string }).word;
}

/** Rules out postings by their channel or conversation, before their messages are read and tested. */
function mayMatch(reader: Reader, terms: readonly ResolvedTerm[], personal: boolean, posting: Posting): boolean {
  const { channelId, userIds = [], id } = posting;
  const named = terms.every((term) => {
    if (term.negated) return true;
    if (term.by === "channel") return channelId === term.id;
    if (term.by === "dm") return conversationName(userIds) === conversationName(term.userIds);
    return true;
  });
  if (!named) return false;
  if (channelId === undefined) return reader.caller !== undefined && userIds.includes(reader.caller.id);
  return !personal || wasSubscribed(reader.subscription(channelId), id);
}
