import { conversationName } from "../store/conversations.ts";
import { findIndexPosition, type Posting, readPostings } from "../store/search-index.ts";
import { type Reader, wasSubscribed } from "./reader.ts";
import { lookedUpWords } from "./search-words.ts";
import { type Source, sifted, within } from "./sources.ts";
import type { Resolved } from "./terms.ts";

const probe = 100;

/**
 * Where a search's hits may be: the messages under its rarest word, as far as the index goes, and all of the narrow's
 * others behind that. Undefined when no word of the search is listed.
 */
export async function searchSources(
  reader: Reader,
  terms: readonly Resolved[],
  query: string,
  personal: boolean,
  narrow: () => Promise<Source[]>,
): Promise<Source[] | undefined> {
  const words = lookedUpWords(query);
  if (words.length === 0) return undefined;
  const { message: reached } = await findIndexPosition();
  const [word, rest] = await Promise.all([rarest(words, reached), narrow(), reader.subscriptions()]);
  const wanted = (posting: Posting) => mayMatch(reader, terms, personal, posting);
  const indexed: Source = (range) => sifted((part) => readPostings(word, part), wanted, range);
  return [within([[0, reached + 1]], indexed), ...rest.map((source) => within([[reached + 1]], source))];
}

/** The word that is farthest from having `probe` messages, among the newest. */
async function rarest(words: readonly string[], reached: number): Promise<string> {
  const probes = await Promise.all(
    words.map(async (word) => {
      const range = { from: 0, to: reached, descending: true, limit: probe };
      const found = words.length > 1 ? await readPostings(word, range) : [];
      return { word, count: found.length, oldest: found.at(-1)?.id ?? 0 };
    }),
  );
  probes.sort((a, b) => a.count - b.count || a.oldest - b.oldest);
  return (probes[0] as { word: string }).word;
}

/** Whether the place that the index knows lets a message match; the message itself is tested when it has been read. */
function mayMatch(reader: Reader, terms: readonly Resolved[], personal: boolean, posting: Posting): boolean {
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
