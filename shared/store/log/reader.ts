import { ProcessCache } from "../../base/process-cache.ts";
import { entriesPerPartition } from "../table/log-items.ts";
import type { LogEntry } from "./entry.ts";
import { cachedEntriesAfter, cacheEntries, markSettled } from "./entry-cache.ts";
import { readHead } from "./log.ts";
import { readAndNote } from "./stored-entry.ts";
import { fillGaps, gapTimeoutMs, ignoreUnavailable } from "./tombstones.ts";

/**
 * Reads the log. A writer reserves its sequence number before it writes the entry, so a number may be missing for a moment,
 * or forever if its writer died. A reader never returns entries beyond a number that may still be written.
 */

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
 * `toEnd`, the first read goes to the log's end, for a caller that reads only once. After a read, `corrected` reads of the same
 * invocation see what the returned entries report.
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
      ...(await readAndNote(this.sequence + known.length, upTo)),
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
    const upTo = Math.min(head, this.sequence + entriesPerPartition);
    const entries = await readAndNote(this.sequence, upTo, { consistent: true });
    const ready = entriesBeforeGap(this.sequence, entries);
    const written = entries.map(({ sequence }) => sequence);
    const last = written.at(-1);
    if (ready.length > 0 || last === undefined) return ready;
    this.#gapSince ||= Date.now();
    if (Date.now() - this.#gapSince < gapTimeoutMs) return [];
    // If the table throttles, the gap stays until the next read.
    await fillGaps(this.sequence, last, written).catch(ignoreUnavailable);
    return entriesBeforeGap(this.sequence, await readAndNote(this.sequence, upTo, { consistent: true }));
  }
}

/**
 * A reader for a caller that takes `limit` entries at a time and must get to `upTo`; 0: to the log's end. If the process knows all
 * entries up to there, it reads nothing for them; otherwise it goes to the log's end at once.
 */
export function readerUpTo(upTo: number, sequence: number, limit: number): LogReader {
  const known = cachedEntriesAfter(sequence, limit).at(-1)?.sequence ?? 0;
  return new LogReader(sequence, { toEnd: upTo === 0 || known < upTo });
}

/** The entries that follow a sequence number without a gap. */
function entriesBeforeGap(after: number, entries: readonly LogEntry[]): LogEntry[] {
  const end = entries.findIndex(({ sequence }, index) => sequence !== after + 1 + index);
  return end < 0 ? [...entries] : entries.slice(0, end);
}
