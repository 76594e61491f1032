import { type Cursor, cursors, findCursor } from "../log/cursors.ts";
import { batchWrite } from "../table/bulk.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { messagePartition, type RangeQuery } from "./messages.ts";

/**
 * The inverted index of the search: one small item (posting) for each word of each message. It says where the message is, so
 * that a search skips messages that the user may not read without fetching them. A message's partition also lists its indexed
 * words, so that those of an edited or deleted message can be removed.
 */

/** A message's entry under a word. */
export interface Posting {
  id: number;
  channelId?: number | undefined;
  /** Only of a direct message. */
  userIds?: number[] | undefined;
}

const postingKey = (word: string, id: number) => ({ pk: `WORD#${word}`, sk: padded(id) });
const wordsKey = (id: number) => ({ pk: messagePartition(id), sk: "WORDS" });

/**
 * A word's postings, at most `limit`. Strongly consistent, because the log does not name changed postings; 1 read unit for
 * about 45.
 */
export const readPostings = (word: string, { from, to, descending, limit }: RangeQuery): Promise<Posting[]> =>
  queryItems<Posting>({
    pk: `WORD#${word}`,
    from: padded(from),
    to: padded(to),
    descending,
    limit,
    consistent: true,
  });

/** A message with the words to index it under: none if it was deleted. */
export interface IndexedMessage {
  posting: Posting;
  words: readonly string[];
}

/**
 * Indexes messages under exactly these words. Idempotent; 1 write unit for each current or removed word, and 1 for the list.
 */
export async function indexMessages(messages: readonly IndexedMessage[]): Promise<void> {
  const before = await getItems<{ words?: string[] }>(
    messages.map(({ posting }) => wordsKey(posting.id)),
    { consistent: true },
  );
  const [puts, deletes] = [[] as Parameters<typeof batchWrite>[0][number][], [] as ReturnType<typeof wordsKey>[]];
  messages.forEach(({ posting, words }, index) => {
    const wanted = new Set(words);
    deletes.push(
      ...(before[index]?.words ?? []).filter((word) => !wanted.has(word)).map((w) => postingKey(w, posting.id)),
    );
    // Existing postings are put again, because the message may have moved.
    puts.push(...words.map((word) => ({ ...postingKey(word, posting.id), ...posting })));
    if (words.length > 0) puts.push({ ...wordsKey(posting.id), words: [...words] });
    else if (before[index]) deletes.push(wordsKey(posting.id));
  });
  await batchWrite(puts, deletes);
}

/** The ID up to which all messages are indexed. Strongly consistent: 1 read unit. */
export const findNewestIndexed = async (): Promise<number> => (await findCursor(cursors.search))?.message ?? 0;

/** Like `findNewestIndexed`, but possibly a lower ID, since it is eventually consistent; 0.5 read units. */
export const peekNewestIndexed = async (): Promise<number> =>
  (await getItem<Cursor>(cursors.search, { mayLag: true }))?.message ?? 0;
