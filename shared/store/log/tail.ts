import { setTimeout as pause } from "node:timers/promises";
import { ProcessCache } from "../../process-cache.ts";
import { fetchRange } from "../table/calls.ts";
import { recentSince } from "../table/commit-window.ts";
import { padded } from "../table/keys.ts";
import { entriesPerPartition, logPartition, noteRead } from "../table/log-end.ts";
import { decompress } from "../table/packing.ts";
import type { LogEntry } from "./entry.ts";
import { cachedEntriesAfter, cacheEntries, markSettled, settledSequence } from "./entry-cache.ts";
import { type Head, ignoreUnavailable, readHead, writeTombstone } from "./log.ts";

/**
 * Reads the log. A writer reserves its sequence number before it writes the entry, so a number may be missing for a moment,
 * or forever if its writer died. A reader never returns entries beyond a number that may still be written.
 */

/** How long a missing entry holds up the entries after it before a reader writes a tombstone in its place. */
const gapTimeoutMs = 1000;

export type StoredEntry = Omit<LogEntry, "sequence"> & {
  sk: string;
  at: number;
  packedEvent?: Uint8Array;
  packedChanges?: Uint8Array;
  /** Every writer with an earlier number had finished or died when this one was reserved. */
  afterQuiescence?: boolean;
};
type TimedEntry = LogEntry & Pick<StoredEntry, "at" | "afterQuiescence">;

/** An entry from its stored item. */
export function entryOf({ sk, at, afterQuiescence, audience, packedEvent, ...stored }: StoredEntry): TimedEntry {
  const event = packedEvent ? (JSON.parse(decompress(packedEvent)) as LogEntry["event"]) : stored.event;
  return {
    sequence: Number(sk),
    at,
    ...(afterQuiescence && { afterQuiescence }),
    ...(audience && event && { audience, event }),
  };
}

/** The existing entries in `(after, upTo]`, from as many partitions as needed; 0.5 read units for each 4 KB. */
export const readEntries = async (after: number, upTo: number, { consistent = false } = {}): Promise<TimedEntry[]> =>
  (await readStored(after, upTo, consistent)).map(entryOf);

async function readStored(after: number, upTo: number, consistent: boolean): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (let from = after + 1; from <= upTo; from = (Math.floor(from / entriesPerPartition) + 1) * entriesPerPartition) {
    const pk = logPartition(from);
    entries.push(...(await fetchRange<StoredEntry>({ pk, from: padded(from), to: padded(upTo) }, consistent)));
  }
  return entries;
}

/** The read of the head that is in flight. */
const headReads = new ProcessCache<"head", ReturnType<typeof readHead>>({ minRetained: 1 });

/**
 * The head, eventually consistent. Concurrent readers in one process share one read. They do not miss the process's own writes,
 * which come from the cache (`cachedEntriesAfter`).
 */
async function currentHead() {
  const sharedRead = headReads.get("head");
  // If the shared read fails, this request makes its own.
  if (sharedRead) return sharedRead.catch(() => readHead({ consistent: false }));
  const ownRead = readHead({ consistent: false });
  headReads.set("head", ownRead);
  try {
    return await ownRead;
  } finally {
    if (headReads.get("head") === ownRead) headReads.delete("head");
  }
}

/**
 * Reads the log forwards from a sequence number. A reader is stateful, because it times how long a gap has held it up. With
 * `toEnd`, the first read goes to the log's end, for a caller that reads only once.
 */
export class LogReader {
  sequence: number;
  readonly #toEnd: boolean;
  /** Whether the last read found reserved numbers whose entries are not written yet, so that it is worth reading again soon. */
  expectsMore = false;
  #gapSince = 0;
  #hasRead = false;

  constructor(sequence: number, { toEnd = false } = {}) {
    this.sequence = sequence;
    this.#toEnd = toEnd;
  }

  /** Whether later entries exist already, but a gap before them holds them up. */
  get isBlocked(): boolean {
    return this.#gapSince > 0;
  }

  /**
   * Returns up to `limit` next entries without a gap and advances past them. 0.5 read units when there are none; 1 on the first
   * call.
   */
  async next(limit: number): Promise<LogEntry[]> {
    const known = cachedEntriesAfter(this.sequence, limit);
    const readsToEnd = this.#toEnd && !this.#hasRead;
    if (known.length > 0 && !readsToEnd) return this.#advancePast(known);
    // The first read is strongly consistent, so that the caller's own latest changes are among the events.
    const head = await (this.#hasRead ? currentHead() : readHead());
    this.#hasRead = true;
    this.expectsMore = head.event > this.sequence;
    if (!this.expectsMore) return [];
    const upTo = Math.min(head.event, this.sequence + limit);
    const ready = entriesBeforeGap(this.sequence, [
      ...known,
      ...(await readEntries(this.sequence + known.length, upTo)),
    ]);
    const isEnough = readsToEnd ? ready.length === upTo - this.sequence : ready.length > 0;
    const read = isEnough ? ready : await this.#readPastGap(head.event);
    cacheEntries(read);
    return this.#advancePast(read);
  }

  #advancePast(entries: LogEntry[]): LogEntry[] {
    const last = entries.at(-1);
    if (!last) return entries;
    markSettled(last.sequence, this.sequence);
    this.sequence = last.sequence;
    this.expectsMore = false;
    this.#gapSince = 0;
    return entries;
  }

  /**
   * Called when the next entry seems to be missing: writes a tombstone for it once it has held up later entries long enough.
   */
  async #readPastGap(head: number): Promise<LogEntry[]> {
    const window = { after: this.sequence, upTo: Math.min(head, this.sequence + entriesPerPartition) };
    const entries = await readEntries(window.after, window.upTo, { consistent: true });
    const ready = entriesBeforeGap(this.sequence, entries);
    if (ready.length > 0) return ready;
    if (entries.length === 0) return [];
    this.#gapSince ||= Date.now();
    if (Date.now() - this.#gapSince < gapTimeoutMs) return [];
    // If the table throttles, the gap stays until the next read.
    await fillGaps(this.sequence, entries.at(-1)?.sequence ?? this.sequence, entries).catch(ignoreUnavailable);
    return entriesBeforeGap(this.sequence, await readEntries(window.after, window.upTo, { consistent: true }));
  }
}

/** The entries that follow a sequence number without a gap. */
function entriesBeforeGap<E extends LogEntry>(after: number, entries: readonly E[]): E[] {
  const end = entries.findIndex(({ sequence }, index) => sequence !== after + 1 + index);
  return end < 0 ? [...entries] : entries.slice(0, end);
}

/** Writes tombstones for the sequence numbers in `(after, upTo]` that are not among `entries`. */
async function fillGaps(after: number, upTo: number, entries: readonly LogEntry[]): Promise<void> {
  const written = new Set(entries.map(({ sequence }) => sequence));
  const sequences = Array.from({ length: upTo - after }, (_, index) => after + 1 + index);
  await Promise.all(sequences.filter((sequence) => !written.has(sequence)).map(writeTombstone));
}

/**
 * The log's head, once everything up to it is settled: nothing at or before it will be written any more. Waits a moment for
 * writers in flight and writes tombstones for those that do not finish. Costs 1 read unit when nothing was written recently;
 * otherwise it also reads the recent part of the log, except for the part that this process knows to be settled.
 */
export async function settledHead(): Promise<Head> {
  const head = await readHead();
  if (head.at === undefined || head.at >= recentSince()) await settle(head.event);
  markSettled(head.event);
  return head;
}

async function settle(head: number): Promise<void> {
  const deadline = Date.now() + gapTimeoutMs;
  // Each pause is twice as long as the one before, so that waiting for a slow writer takes few reads.
  for (let pauseMs = 25; ; pauseMs *= 2) {
    const { start, entries, isAfterQuiescence } = await readRecent(head);
    if (entries.length === head - start) return noteRead(start, entries, isAfterQuiescence);
    if (Date.now() >= deadline) return fillGaps(start, head, entries.map(entryOf));
    await pause(Math.min(pauseMs, Math.max(0, deadline - Date.now())));
  }
}

/** The end of the log, from a `start` before which no writer is still in flight. */
interface LogEnd {
  start: number;
  entries: StoredEntry[];
  /** Whether everything before `start` is no longer recent, rather than merely settled. */
  isAfterQuiescence: boolean;
}

/** The number of entries that a backward read begins with; each further read is four times as long. */
const firstReadSize = 20;

async function readRecent(head: number): Promise<LogEnd> {
  const since = recentSince();
  const settledUpTo = settledSequence(head);
  let entries: StoredEntry[] = [];
  for (let end = head, size = firstReadSize; end > settledUpTo; size *= 4) {
    const start = Math.max(settledUpTo, end - size);
    const page = await readStored(start, end, true);
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
