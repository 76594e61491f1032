import { writeInBulk } from "./bulk.ts";
import { padded } from "./keys.ts";
import { messagePartition, type RangeQuery } from "./messages.ts";
import { queryItems } from "./queries.ts";
import { getItem, getItems } from "./table.ts";
import { transact } from "./transactions.ts";
import { put } from "./writes.ts";

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

/** The messages under a word, at most `limit`; 0.5 read units for about 45. */
export const readPostings = (word: string, { from, to, descending, limit }: RangeQuery): Promise<Posting[]> =>
  queryItems<Posting>({ pk: `WORD#${word}`, from: padded(from), to: padded(to), descending, limit });

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

/** How far the index goes. */
export interface IndexPosition {
  /** Place in the log up to which all changes are in the index. */
  place: number;
  /** The newest message that is: all before it are too. */
  message: number;
  /** UNIX milliseconds until which one worker has the index for itself. */
  leasedUntil: number;
}

const positionKey = { pk: "SEARCH", sk: "POSITION" };

/** 0.5 read units, 1 when consistent. */
export const findIndexPosition = async ({ consistent = false } = {}): Promise<IndexPosition> =>
  (await getItem<IndexPosition>(positionKey, { consistent })) ?? { place: 0, message: 0, leasedUntil: 0 };

/** Throws ConditionFailed when another worker has moved the position since `before` was read. */
export const moveIndexPosition = (before: IndexPosition, after: IndexPosition): Promise<void> =>
  transact([
    put(
      { ...positionKey, ...after },
      { equals: { leasedUntil: before.leasedUntil === 0 && before.place === 0 ? undefined : before.leasedUntil } },
    ),
  ]);
