import { compareBytes } from "../../base/compare-bytes.ts";
import { type Cursor, cursors } from "../log/cursors.ts";
import { lagging } from "../table/consistency.ts";
import { getItem } from "../table/reads.ts";
import { put, type Write } from "../table/writes.ts";
import type { RangeQuery } from "./messages.ts";
import {
  deleteSegment,
  everyMessage,
  type Posting,
  readRange,
  readSegment,
  type SegmentName,
  type WordEntry,
  type WordRange,
  writeSegment,
} from "./search-segments.ts";

/**
 * The search index is a log-structured merge tree: new and changed messages are indexed by small segments, which are merged
 * into larger ones. The manifest lists the segments; messages that are in none of them are read directly.
 */

interface Segment extends SegmentName {
  /** The lowest and the highest ID of its messages. */
  from: number;
  to: number;
  messages: number;
  chunks: number;
  /** Says under what a message is indexed; absent from segments of former versions. */
  form?: number;
}

/** To be increased when messages are indexed under other terms: an index of another form is built anew. */
const indexForm = 5;

export interface Manifest {
  /** Every message up to this ID is in a segment, as it was when the segment was written. */
  indexedTo: number;
  /** From the oldest to the newest: what a newer one says of a message is valid. */
  segments: readonly Segment[];
  /** The IDs of indexed messages that have changed since, ascending. */
  changed: readonly number[];
  /** The IDs of segments that have been merged, with the time in UNIX milliseconds; a search may still be reading them. */
  retired: readonly { id: number; at: number }[];
  nextId: number;
}

const manifestKey = { pk: "SEARCH", sk: "MANIFEST" };

const emptyManifest: Manifest = { indexedTo: 0, segments: [], changed: [], retired: [], nextId: 1 };

/**
 * The manifest; that of an empty index if a segment was written by a version whose index has another form, perhaps during an
 * upgrade. Its segments are then deleted when there are new ones.
 */
export async function readManifest(): Promise<Manifest> {
  const manifest = (await getItem<Manifest>(manifestKey)) ?? emptyManifest;
  if (manifest.segments.every(({ form }) => form === indexForm)) return manifest;
  const at = Date.now();
  const retired = [...manifest.retired, ...manifest.segments.map(({ id }) => ({ id, at }))];
  return { ...emptyManifest, retired, nextId: manifest.nextId };
}

/** For the transaction that moves the log's cursor: the worker that holds its lease is the only one that changes the index. */
export const putManifest = (manifest: Manifest): Write => put({ ...manifestKey, ...manifest });

/** The ID up to which topics are recorded. Possibly a lower ID, since it is eventually consistent; 0.5 read units. */
export const peekNewestRecorded = async (): Promise<number> =>
  (await getItem<Cursor>(cursors.search, lagging))?.message ?? 0;

/** A message with the words to index it under: none if it was deleted. */
export interface IndexedMessage {
  posting: Posting;
  words: readonly string[];
}

/** How many segments of one size there are before they are merged. */
const fanOut = 4;
/** A segment of level L has about this many messages times `fanOut` to the power of L. */
const smallestSegment = 32;
/** Segments of 130,000 messages, or of 4 MB, are not merged again: a merge of four takes as long as a function should. */
const maxLevel = 6;
const maxMergedChunks = 1000;
/** Longer than a step takes after it has merged segments, and then a search that has read the manifest before. */
const retirementMs = 150_000;
/** So that a step takes seconds at most, also when it deletes the largest segments. */
const maxDeletedAtOnce = 8;

const levelOf = ({ messages, chunks }: Segment) =>
  chunks > maxMergedChunks
    ? maxLevel
    : Math.min(maxLevel, Math.max(0, Math.floor(Math.log(messages / smallestSegment) / Math.log(fanOut))));

/**
 * Adds a segment with these messages, ascending and of distinct IDs, and merges segments if there are too many; returns the new
 * manifest. Until that is stored, the index is as it was, and the call can be repeated.
 */
export async function addSegment(manifest: Manifest, messages: readonly IndexedMessage[]): Promise<Manifest> {
  const [first, last] = [messages[0], messages.at(-1)];
  if (!first || !last) return manifest;
  const id = manifest.nextId;
  const written = await writeSegment(id, wordsOf(messages));
  const added: Segment = {
    ...{ ...written, from: first.posting.id, to: last.posting.id, messages: messages.length, form: indexForm },
  };
  const segments = [...manifest.segments, added];
  return mergeNewest({ ...manifest, segments, nextId: id + 1 });
}

async function* wordsOf(messages: readonly IndexedMessage[]): AsyncGenerator<WordEntry> {
  yield [everyMessage, messages.map(({ posting }) => posting)];
  const postings = new Map<string, Posting[]>();
  for (const { posting, words } of messages)
    for (const word of words) {
      const listed = postings.get(word);
      if (listed) listed.push(posting);
      else postings.set(word, [posting]);
    }
  yield* [...postings].sort(([a], [b]) => compareBytes(a, b));
}

/** Merges the newest segments while there are `fanOut` of one level or below. */
async function mergeNewest(manifest: Manifest): Promise<Manifest> {
  const { segments } = manifest;
  let start = segments.length;
  for (let level = 0; level < maxLevel; level++) {
    let next = start;
    while (next > 0 && levelOf(segments[next - 1] as Segment) <= level) next--;
    const merged = start < segments.length ? 1 : 0;
    // The newest segments may all be of a higher level: so many messages came at once.
    if (start - next + merged === 0) continue;
    if (start - next + merged < fanOut) break;
    start = next;
  }
  const inputs = segments.slice(start);
  if (inputs.length < 2) return manifest;
  const id = manifest.nextId;
  const written = await writeSegment(id, mergedEntries(inputs));
  const output: Segment = {
    ...written,
    from: Math.min(...inputs.map(({ from }) => from)),
    to: Math.max(...inputs.map(({ to }) => to)),
    messages: inputs.reduce((sum, { messages }) => sum + messages, 0),
    form: indexForm,
  };
  const at = Date.now();
  return {
    ...manifest,
    segments: [...segments.slice(0, start), output],
    retired: [...manifest.retired, ...inputs.map((input) => ({ id: input.id, at }))],
    nextId: id + 1,
  };
}

interface Input extends Segment {
  entries: AsyncIterator<WordEntry>;
  next: WordEntry | undefined;
  /** The IDs of messages about which a newer segment says something else. */
  outdated: Set<number>;
}

/** The entries of several segments, from the oldest to the newest, in one order. */
async function* mergedEntries(segments: readonly Segment[]): AsyncGenerator<WordEntry> {
  const inputs = await Promise.all(
    segments.map(async (segment): Promise<Input> => {
      const entries = readSegment(segment);
      return { ...segment, entries, next: (await entries.next()).value ?? undefined, outdated: new Set() };
    }),
  );
  for (;;) {
    const words = inputs.flatMap(({ next }) => (next ? [next[0]] : []));
    if (words.length === 0) return;
    const word = words.reduce((least, other) => (compareBytes(other, least) < 0 ? other : least));
    const lists = await Promise.all(inputs.map((input) => takePostings(input, word)));
    if (word === everyMessage) markOutdated(inputs, lists);
    const postings = lists.flatMap((list, index) => {
      const { outdated } = inputs[index] as Input;
      return outdated.size === 0 ? list : list.filter(({ id }) => !outdated.has(id));
    });
    if (postings.length > 0) yield [word, postings.sort((a, b) => a.id - b.id)];
  }
}

/** All postings of a word, if the input has come to it. */
async function takePostings(input: Input, word: string): Promise<Posting[]> {
  const postings: Posting[] = [];
  while (input.next?.[0] === word) {
    postings.push(...input.next[1]);
    input.next = (await input.entries.next()).value ?? undefined;
  }
  return postings;
}

function markOutdated(inputs: readonly Input[], messages: readonly Posting[][]): void {
  inputs.forEach((older, index) => {
    for (const newer of messages.slice(index + 1))
      for (const { id } of newer) if (older.from <= id && id <= older.to) older.outdated.add(id);
  });
}

/** Deletes some segments that were merged so long ago that no search reads them. */
export async function deleteRetired(manifest: Manifest): Promise<Manifest> {
  const over = manifest.retired.filter(({ at }) => at < Date.now() - retirementMs).slice(0, maxDeletedAtOnce);
  for (const { id } of over) await deleteSegment(id);
  return { ...manifest, retired: manifest.retired.filter((segment) => !over.includes(segment)) };
}

/** How many segments are read at first; most searches need no more. */
const segmentsAtFirst = 4;

/**
 * The postings of all words of some ranges in order, at most `limit`; some may be outdated. For each range, one read unit for each
 * segment that is read: four at first, and if these do not have enough, all.
 */
export async function lookUp(
  { segments }: Manifest,
  ranges: readonly WordRange[],
  query: RangeQuery,
): Promise<Posting[]> {
  const { from, to, descending, limit } = query;
  const inOrder = segments
    .map((segment, age) => ({ ...segment, age, postings: [] as Posting[] }))
    .filter((segment) => segment.from <= to && from <= segment.to)
    .sort((a, b) => (descending ? b.to - a.to : a.from - b.from));
  const read: typeof inOrder = [];
  for (const count of [segmentsAtFirst, Number.POSITIVE_INFINITY]) {
    const wave = inOrder.slice(read.length, read.length + count);
    await Promise.all(
      wave.map(async (segment) => {
        segment.postings = await readRanges(segment, ranges, query);
      }),
    );
    read.push(...wave);
    const next = inOrder[read.length];
    // The segments that were not read have nothing about these messages.
    const isCertain = ({ id }: Posting) => !next || (descending ? id > next.to : id < next.from);
    const found = validPostings(read).filter(isCertain);
    if (!next || found.length >= limit)
      return found.sort((a, b) => (descending ? b.id - a.id : a.id - b.id)).slice(0, limit);
  }
  return [];
}

/** The postings of all words of the ranges in a segment, with those of each range at most `limit`. */
const readRanges = async (segment: Segment, ranges: readonly WordRange[], query: RangeQuery): Promise<Posting[]> =>
  (await Promise.all(ranges.map((range) => readRange(segment, range, query)))).flat();

/** Of several postings of a message, that of the newest segment. */
function validPostings(segments: readonly { age: number; postings: readonly Posting[] }[]): Posting[] {
  const byId = new Map<number, Posting>();
  for (const { postings } of segments.toSorted((a, b) => a.age - b.age))
    for (const posting of postings) byId.set(posting.id, posting);
  return [...byId.values()];
}

/** From so many postings on, how close they are to each other tells the share. */
const maxEstimated = 500;

/**
 * About which share of the messages has a word of these ranges, from 0 to 1: that of the largest segment. 1 read unit for each range,
 * or 2.
 */
export async function estimateShare({ segments }: Manifest, ranges: readonly WordRange[]): Promise<number> {
  const [largest] = segments.toSorted((a, b) => b.messages - a.messages);
  if (!largest) return 0;
  const shares = ranges.map(async (range) => {
    const newest = await readRange(largest, range, { ...largest, descending: true, limit: maxEstimated });
    const last = newest[maxEstimated - 1];
    return newest.length / (last ? largest.to - last.id + 1 : largest.messages);
  });
  return Math.min(
    1,
    (await Promise.all(shares)).reduce((sum, share) => sum + share, 0),
  );
}
