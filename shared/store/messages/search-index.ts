import { type Cursor, cursors, findCursor } from "../log/cursors.ts";
import { writeInBulk } from "../table/bulk.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { messagePartition, type RangeQuery } from "./messages.ts";

/**
 * The inverted index: one small item for each word of each message, under its word, with where the message is, so that
 * what a reader cannot see is passed over without a look at it. Beside each message stand the words it is listed under.
 */

/** A message as it stands under a word. */
export interface Posting {
  id: number;
  channelId?: number | undefined;
  /** Of a direct message. */
  userIds?: number[] | undefined;
}

const postingKey = (word: string, id: number) => ({ pk: `WORD#${word}`, sk: padded(id) });
const wordsKey = (id: number) => ({ pk: messagePartition(id), sk: "WORDS" });

/** The messages under a word, at most `limit`; strongly consistent, 1 read unit for about 45: the log tells of no posting. */
export const readPostings = (word: string, { from, to, descending, limit }: RangeQuery): Promise<Posting[]> =>
  queryItems<Posting>({
    pk: `WORD#${word}`,
    from: padded(from),
    to: padded(to),
    descending,
    limit,
    consistent: true,
  });

/** A message with the words under which it is to be found; none when it is gone. */
export interface Indexed {
  posting: Posting;
  words: readonly string[];
}

/** Lists messages under their words and no others: 1 write unit for each word that is new or gone, and one for itself. */
export async function indexMessages(messages: readonly Indexed[]): Promise<void> {
  const before = await getItems<{ words?: string[] }>(
    messages.map(({ posting }) => wordsKey(posting.id)),
    { consistent: true },
  );
  const [puts, deletes] = [[] as Parameters<typeof writeInBulk>[0][number][], [] as ReturnType<typeof wordsKey>[]];
  messages.forEach(({ posting, words }, place) => {
    const wanted = new Set(words);
    deletes.push(
      ...(before[place]?.words ?? []).filter((word) => !wanted.has(word)).map((w) => postingKey(w, posting.id)),
    );
    // Those that were there before are put again: the message may have moved.
    puts.push(...words.map((word) => ({ ...postingKey(word, posting.id), ...posting })));
    if (words.length > 0) puts.push({ ...wordsKey(posting.id), words: [...words] });
    else if (before[place]) deletes.push(wordsKey(posting.id));
  });
  await writeInBulk(puts, deletes);
}

/** The newest message that is in the index, as all before it are. Strongly consistent: 1 read unit. */
export const findNewestIndexed = async (): Promise<number> => (await findCursor(cursors.search))?.message ?? 0;

/** The same, or one before; 0.5 read units. */
export const findReachedMessage = async (): Promise<number> =>
  (await getItem<Cursor>(cursors.search, { mayLag: true }))?.message ?? 0;
