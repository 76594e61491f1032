import { loadItem } from "./batching.ts";
import { fetchRange } from "./calls.ts";
import { recentSeconds, recentSince } from "./commit-window.ts";
import { padded } from "./keys.ts";
import { entriesPerPartition, fetchEntries, headKey, logPartition } from "./log-items.ts";
import { currentRecentWrites, oncePerRequest, type RecentWritesCache, skipIfLoaded } from "./recent-writes.ts";
import { type StoredWrites, unpackWrittenItems, type WrittenItem } from "./written-items.ts";

/**
 * Reads the log for the items that were written, not for events (`../log/reader.ts` does). Each process has a cache of recent
 * writes (`recent-writes.ts`), which it brings up to date by the end of the log, the newest entries, once for each request. Other
 * code that reads the log's head or entries anyway notes here what it has read, which spares that read.
 */

/**
 * Resolves once the cache has every recent write that was acknowledged before the request began. 1 read unit when the cache
 * is nearly up to date or nothing was written for a while; a new process reads the log's last seconds, 1 read unit for about
 * ten changes.
 */
export const loadRecentWrites = (): Promise<void> => oncePerRequest(readLogEnd);

/** The other attributes of an entry may hold many kilobytes of text. */
const writeFields = ["at", "afterQuiescence", "writtenItems"] satisfies (keyof StoredWrites)[];

/** If the cache is older, only the log's last seconds are read, and not everything since then. */
const maxCatchUpMs = recentSeconds * 1000;
/** This close to a partition's end, the next partition is read too, since entries are not written in order. */
const partitionMargin = 200;

async function readLogEnd(cache: RecentWritesCache): Promise<void> {
  const now = Date.now();
  const { sequence, entries } =
    now - cache.readAt < maxCatchUpMs ? await readForward(cache.sequence) : await readRecent();
  noteEntries(cache, { sequence, entries }, now);
}

/** Adds the writes of the entries to the cache, which has then read the log up to `sequence` as of `now`. */
function noteEntries(cache: RecentWritesCache, { sequence, entries }: LogPart, now: number): void {
  const since = recentSince();
  for (const { sk, at, writtenItems } of entries) {
    if (!writtenItems || at < since || cache.sequencesAfterGap.has(Number(sk))) continue;
    cache.writes.add(unpackWrittenItems(writtenItems), Number(sk), at);
    cache.sequencesAfterGap.add(Number(sk));
  }
  cache.sequence = Math.max(cache.sequence, sequence);
  for (const reached of cache.sequencesAfterGap) if (reached <= cache.sequence) cache.sequencesAfterGap.delete(reached);
  cache.readAt = Math.max(cache.readAt, now);
}

/**
 * Adds the writes of entries that other code has read to the cache. `entries` must be all entries after `after` up to the last
 * of them. The cache has then read the log up to there if it has read up to `after`, or if all earlier writes are too old to count
 * as recent (`isAfterQuiescence`); otherwise there is a gap before them, as while the first read of the log's end is in flight.
 */
export function noteRead(after: number, entries: readonly StoredWrites[], isAfterQuiescence: boolean): void {
  const cache = currentRecentWrites();
  const last = entries.at(-1);
  if (!last || Number(last.sk) <= cache.sequence) return;
  if (cache.sequence >= after || isAfterQuiescence)
    noteEntries(cache, { sequence: Number(last.sk), entries }, Date.now());
  else
    for (const { sk, at, writtenItems } of entries)
      if (writtenItems) cache.writes.add(unpackWrittenItems(writtenItems), Number(sk), at);
}

/** Some entries, and the sequence number up to which no entry is missing. */
interface LogPart {
  sequence: number;
  entries: readonly StoredWrites[];
}

/** Reads the entries after `sequence`. */
async function readForward(sequence: number): Promise<LogPart> {
  const isNearEnd = entriesPerPartition - ((sequence + 1) % entriesPerPartition) <= partitionMargin;
  const readPartition = (at: number) =>
    fetchRange<StoredWrites>({ pk: logPartition(at), from: padded(sequence + 1), fields: writeFields }, true);
  const parts = [sequence + 1, ...(isNearEnd ? [sequence + entriesPerPartition] : [])];
  const pages = await Promise.all(parts.map(readPartition));
  for (;;) {
    const end = pages.at(-1)?.at(-1);
    if (!end || (Number(end.sk) + 1) % entriesPerPartition !== 0) break;
    // This partition is full, so there may be more entries in the next.
    pages.push(await readPartition(Number(end.sk) + 1));
  }
  const entries = pages.flat();
  return { sequence: lastSettled(sequence, entries), entries };
}

/** Reads the recent part of the log: 1 read unit when it is empty. */
async function readRecent(): Promise<LogPart> {
  const { event = 0, at } = (await loadItem<{ event?: number; at?: number }>(headKey, true)) ?? {};
  if (at !== undefined && at < recentSince()) return { sequence: event, entries: [] };
  const { start, entries } = await readBackward(event);
  return { sequence: lastSettled(start, entries), entries };
}

/** The end of the log, from a `start` before which no change is still being written. */
interface LogEnd {
  start: number;
  entries: StoredWrites[];
  /** Whether everything before `start` is no longer recent, rather than merely settled. */
  isAfterQuiescence: boolean;
}

/** The number of entries that a backward read begins with; each further read is four times as long. */
const firstReadSize = 20;

/** Reads the log backwards from `head`, until nothing earlier is recent, or to `settledUpTo`. Strongly consistent. */
export async function readBackward(head: number, settledUpTo = 0): Promise<LogEnd> {
  const since = recentSince();
  let entries: StoredWrites[] = [];
  for (let end = head, size = firstReadSize; end > settledUpTo; size *= 4) {
    const start = Math.max(settledUpTo, end - size);
    const page = await fetchEntries<StoredWrites>(start, end, true, writeFields);
    // A whole partition is missing only because it has expired, after days without any change.
    if (page.length === 0 && end - start >= entriesPerPartition)
      return { start: end, entries, isAfterQuiescence: true };
    entries = [...page, ...entries];
    end = start;
    const index = entries.findLastIndex(({ at, afterQuiescence }) => at < since || afterQuiescence);
    const quiescent = entries[index];
    if (quiescent) return { start: Number(quiescent.sk) - 1, entries: entries.slice(index), isAfterQuiescence: true };
  }
  return { start: settledUpTo, entries, isAfterQuiescence: false };
}

/** The last sequence number up to which every entry is written or never will be. */
function lastSettled(sequence: number, entries: readonly StoredWrites[]): number {
  const since = recentSince();
  let settled = sequence;
  for (const { sk, at } of entries) {
    if (Number(sk) === settled + 1 || at < since) settled = Number(sk);
  }
  return settled;
}

/**
 * Spares the running request the read of the log's end if the log's head shows that there is nothing new to read: nothing was
 * written recently, or this process has read up to the head, which the caller must have read with strong consistency.
 */
export const noteHead = ({ event, at }: { event: number; at?: number }): void =>
  skipIfLoaded((cache) => {
    const isQuiescent = at !== undefined && at < recentSince();
    if (!isQuiescent && event > cache.sequence) return false;
    cache.sequence = Math.max(cache.sequence, event);
    cache.readAt = Math.max(cache.readAt, Date.now());
    return true;
  });

/**
 * The items that each change after the sequence number `after` wrote, as the log names them. The log must be settled up to
 * `upTo`. The result includes later entries too; `isToEnd` says whether it reaches the log's end. Undefined when an entry has
 * expired. Strongly consistent.
 */
export async function readWrittenSince(
  after: number,
  upTo: number,
): Promise<{ changes: WrittenItem[][]; isToEnd: boolean } | undefined> {
  const first = Math.floor((after + 1) / entriesPerPartition);
  const count = Math.floor(upTo / entriesPerPartition) + 2 - first;
  const parts = Array.from({ length: count }, (_, index) => logPartition((first + index) * entriesPerPartition));
  const from = padded(after + 1);
  const pages = await Promise.all(
    parts.map((pk) => fetchRange<StoredWrites>({ pk, from, fields: ["writtenItems"] }, true)),
  );
  const entries = pages.flat();
  if (entries.filter(({ sk }) => Number(sk) <= upTo).length < upTo - after) return undefined;
  const changes = entries.flatMap(({ writtenItems }) => (writtenItems ? [unpackWrittenItems(writtenItems)] : []));
  return { changes, isToEnd: pages.at(-1)?.length === 0 };
}
