import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { batchesOf } from "../../base/batches.ts";
import { compareBytes } from "../../base/compare-bytes.ts";
import { batchWrite } from "../table/bulk.ts";
import { padded } from "../table/keys.ts";
import { packJson, unpackJson } from "../table/packing.ts";
import { queryItems, queryPages } from "../table/reads.ts";
import type { Item } from "../table/writes.ts";
import type { RangeQuery } from "./messages.ts";

/**
 * Segments of the search index. A segment lists for some messages which of them contain a word, in the order of the words and
 * then of the messages' IDs. It is cut into chunks, one compressed item each, so that a word is found by one query. A segment
 * never changes once it is complete; several are merged into a new one.
 */

/**
 * Names a segment. A worker whose lease expires unnoticed, for example because its machine sleeps, may write a segment of the same
 * ID as its successor: each attempt has chunks of its own, so that they do not touch each other's.
 */
export interface SegmentName {
  id: number;
  attempt: string;
}

/** A message's entry under a word. It says where the message is, so that messages that a reader may not see are not fetched. */
export interface Posting {
  id: number;
  channelId?: number | undefined;
  /** Only of a direct message. */
  userIds?: readonly number[] | undefined;
}

/** A word and, ascending, messages with it. A frequent word has several such entries in a row. */
export type WordEntry = [word: string, postings: Posting[]];

/** Words that begin alike and that are accepted. If `isExact`, the beginning is the only one. */
export interface WordRange {
  beginning: string;
  isExact: boolean;
  accepts(word: string): boolean;
}

export const exactly = (word: string): WordRange => ({
  beginning: word,
  isExact: true,
  accepts: (other) => other === word,
});
export const beginningWith = (beginning: string): WordRange => ({ beginning, isExact: false, accepts: () => true });

/** The word of every message of a segment, also of those that were deleted: not a word, and the first in the order. */
export const everyMessage = "";

/** A channel's ID, the user IDs of a direct message, or null for a deleted message. */
type Place = number | readonly number[] | null;

interface Chunk {
  places: Place[];
  /** For each word the IDs of its messages, each but the first less the one before, and the positions of their places. */
  words: [word: string, steps: number[], places: number[]][];
}

/** In characters of JSON; compressed, a chunk then has nearly 4 KB, which is what one read unit reads. */
const maxChunkCharacters = 9000;

const partitionOf = (segmentId: number) => `SEGMENT#${segmentId}`;
/** The key of a chunk that begins with a message's entry under a word. A space is less than all characters of words. */
const chunkKey = (attempt: string, word: string, id: number) => `${attempt} ${word} ${padded(id)}`;
/** The keys of all chunks of a segment are in this range. */
const keyRange = (attempt: string) => ({ from: `${attempt} `, to: `${attempt}!` });

type StoredChunk = Item & { packed: Uint8Array };

function entriesOf({ packed }: StoredChunk): WordEntry[] {
  const { places, words } = unpackJson<Chunk>(packed);
  return words.map(([word, steps, positions]) => {
    let id = 0;
    const postings = steps.map((step, index): Posting => {
      id += step;
      const place = places[positions[index] as number];
      if (place === null) return { id };
      return typeof place === "number" ? { id, channelId: place } : { id, userIds: place };
    });
    return [word, postings];
  });
}

/** The chunks of entries that come in their order. */
async function* chunksOf(name: SegmentName, entries: AsyncIterable<WordEntry>): AsyncGenerator<StoredChunk> {
  let chunk: Chunk = { places: [], words: [] };
  let positions = new Map<string, number>();
  let characters = 0;
  let key = "";
  const stored = (): StoredChunk => ({ pk: partitionOf(name.id), sk: key, packed: packJson(chunk) });
  for await (const [word, postings] of entries) {
    let last: { id: number; entry: Chunk["words"][number] } | undefined;
    for (const { id, channelId, userIds } of postings) {
      if (characters > maxChunkCharacters) {
        yield stored();
        chunk = { places: [], words: [] };
        positions = new Map();
        characters = 0;
        last = undefined;
      }
      if (characters === 0) key = chunkKey(name.attempt, word, id);
      if (!last) {
        last = { id: 0, entry: [word, [], []] };
        chunk.words.push(last.entry);
        characters += word.length + 9;
      }
      const place = JSON.stringify(userIds ?? channelId ?? null);
      const position = positions.get(place) ?? chunk.places.push(userIds ?? channelId ?? null) - 1;
      if (!positions.has(place)) characters += place.length + 1;
      positions.set(place, position);
      const step = id - last.id;
      last.entry[1].push(step);
      last.entry[2].push(position);
      characters += String(step).length + String(position).length + 2;
      last.id = id;
    }
  }
  if (characters > 0) yield stored();
}

/** How many chunks are written before a pause. */
const chunksAtOnce = 25;
/** A partition takes 1,000 write units in a second, and a chunk costs 4. */
const pauseMs = 100;

/** Writes a segment whose entries come in their order. Returns how it is named from then on, and how many chunks it has. */
export async function writeSegment(
  id: number,
  entries: AsyncIterable<WordEntry>,
): Promise<SegmentName & { chunks: number }> {
  const name: SegmentName = { id, attempt: randomBytes(4).toString("hex") };
  let chunks = 0;
  let batch: StoredChunk[] = [];
  for await (const chunk of chunksOf(name, entries)) {
    chunks++;
    if (batch.length === chunksAtOnce) {
      await batchWrite(batch);
      await pause(pauseMs);
      batch = [];
    }
    batch.push(chunk);
  }
  await batchWrite(batch);
  return { ...name, chunks };
}

/** Deletes a segment and what other attempts at it have left. Idempotent; as many write units as they have KB. */
export async function deleteSegment(id: number): Promise<void> {
  for await (const page of queryPages<StoredChunk>({ pk: partitionOf(id) }))
    for (const batch of batchesOf(page, chunksAtOnce)) {
      await batchWrite([], batch);
      if (batch.length === chunksAtOnce) await pause(pauseMs);
    }
}

/** All entries of a segment in their order. */
export async function* readSegment({ id, attempt }: SegmentName): AsyncGenerator<WordEntry> {
  for await (const page of queryPages<StoredChunk>({ pk: partitionOf(id), ...keyRange(attempt) }))
    for (const chunk of page) yield* entriesOf(chunk);
}

type ChunkRange = { from?: string; to?: string; descending: boolean };

async function readChunks({ id, attempt }: SegmentName, range: ChunkRange, limit: number) {
  const query = { pk: partitionOf(id), ...keyRange(attempt), ...range, limit };
  return (await queryItems<StoredChunk>(query)).map((chunk) => {
    const entries = entriesOf(chunk);
    const [first, last] = [entries[0] as WordEntry, entries.at(-1) as WordEntry];
    return { key: chunk.sk, entries, firstWord: first[0], firstId: first[1][0]?.id ?? 0, lastWord: last[0] };
  });
}

const readChunk = async (segment: SegmentName, range: ChunkRange) => (await readChunks(segment, range, 1))[0];

/**
 * A word's postings in a segment. 1 read unit for each chunk: one, but for a frequent word, of which a chunk lists about a
 * thousand postings. Strongly consistent, because a segment may have been written a moment ago.
 */
async function readPostings(
  segment: SegmentName,
  word: string,
  { from, to, descending, limit }: RangeQuery,
): Promise<Posting[]> {
  const found: Posting[] = [];
  const { attempt } = segment;
  let chunk = await readChunk(segment, { to: chunkKey(attempt, word, descending ? to : from), descending: true });
  if (!chunk && !descending) chunk = await readChunk(segment, { descending: false });
  while (chunk) {
    const postings = chunk.entries.flatMap(([entry, listed]) => (entry === word ? listed : []));
    const inRange = postings.filter(({ id }) => from <= id && id <= to);
    found.push(...(descending ? inRange.reverse() : inRange));
    if (found.length >= limit) break;
    if (descending) {
      if (chunk.firstWord !== word || chunk.firstId <= from) break;
      chunk = await readChunk(segment, { to: chunkKey(attempt, word, chunk.firstId - 1), descending: true });
    } else {
      if (compareBytes(chunk.lastWord, word) > 0 || (postings.at(-1)?.id ?? 0) > to) break;
      chunk = await readChunk(segment, { from: `${chunk.key} `, descending: false });
    }
  }
  return found.slice(0, limit);
}

/** How many chunks of a range are read with one call. */
const chunksPerCall = 4;

/**
 * The postings of all words of a range in a segment, at most one for each message. 1 read unit for each chunk: one or two, but for a
 * short beginning. A word that fills chunks is read like `readPostings`, or not at all.
 */
export async function readRange(segment: SegmentName, range: WordRange, query: RangeQuery): Promise<Posting[]> {
  const { beginning, isExact, accepts } = range;
  if (isExact) return readPostings(segment, beginning, query);
  const { from, to, descending, limit } = query;
  const { attempt } = segment;
  const found = new Map<number, Posting>();
  const filling = new Set<string>();
  const collect = (word: string, postings: readonly Posting[]) => {
    if (!word.startsWith(beginning) || !accepts(word)) return;
    for (const posting of postings) if (from <= posting.id && posting.id <= to) found.set(posting.id, posting);
  };
  const end = `${attempt} ${beginning}\u{10ffff}`;
  const readNext = (key: string) => readChunks(segment, { from: `${key} `, to: end, descending: false }, chunksPerCall);
  // The chunk in which the range begins, if not with the segment itself.
  const first = await readChunk(segment, { to: chunkKey(attempt, beginning, 0), descending: true });
  let chunks = first ? [first] : await readNext(`${attempt} ${beginning}`);
  for (;;) {
    for (const { entries } of chunks)
      for (const [word, postings] of entries) if (!filling.has(word)) collect(word, postings);
    const last = chunks.at(-1);
    if (!last) break;
    const { key, firstWord, lastWord } = last;
    const isPast = compareBytes(lastWord, beginning) > 0 && !lastWord.startsWith(beginning);
    if (isPast) break;
    if (firstWord === lastWord && lastWord.startsWith(beginning) && !filling.has(lastWord)) {
      filling.add(lastWord);
      if (accepts(lastWord)) collect(lastWord, await readPostings(segment, lastWord, query));
      const to = chunkKey(attempt, lastWord, Number.MAX_SAFE_INTEGER);
      chunks = await readChunks(segment, { to, descending: true }, 1);
    } else chunks = await readNext(key);
  }
  return [...found.values()].sort((a, b) => (descending ? b.id - a.id : a.id - b.id)).slice(0, limit);
}
