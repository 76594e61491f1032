import { ProcessCache } from "../../base/process-cache.ts";
import type { LogEntry } from "./entry.ts";

/**
 * Caches log entries where they enter the process, and nowhere else: in the commit that writes them (`log.ts`), in the read that finds
 * them (`reader.ts`), and where the table's stream brings them (`stream.ts`). They are immutable, so a cached one is never stale.
 *
 * So whoever reads the log gives a sequence number, and is not given the entries for which it was called: it may have to begin before
 * them, like a subscriber that waited or a connection that was behind, and must not go on while one in between is missing. The
 * reader takes what the process has from here, and reads the rest. This saves reads and lets a poll in the same process see a change
 * at once; correctness does not depend on it.
 */

/** By sequence number. */
const cache = new ProcessCache<number, LogEntry>({ minRetained: 2000 });
type Listener = (entries: readonly LogEntry[]) => void;
const listeners = new Set<Listener>();

export function cacheEntries(entries: readonly LogEntry[]): void {
  for (const entry of entries) cache.set(entry.sequence, entry);
}

/** The cached entries after a sequence number, up to the first gap in the cache. */
export function cachedEntriesAfter(after: number, limit: number): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let sequence = after + 1; entries.length < limit; sequence++) {
    const entry = cache.get(sequence);
    if (!entry) break;
    entries.push(entry);
  }
  return entries;
}

const settled = new ProcessCache<"sequence", number>({ minRetained: 1 });

/** Tests empty them, as in a new process that knows the recent writes. */
export const entryCaches = [cache, settled] as const;

/** Records that every sequence number up to this one, or in `(after, sequence]`, has an entry or a tombstone. */
export function markSettled(sequence: number, after = 0): void {
  const settledUpTo = settled.get("sequence") ?? 0;
  if (after <= settledUpTo && sequence > settledUpTo) settled.set("sequence", sequence);
}

/**
 * The highest sequence number that this process knows to be settled. Returns 0 if that is beyond `head`, as after the table was
 * restored from a backup.
 */
export function settledSequence(head: number): number {
  const sequence = settled.get("sequence") ?? 0;
  return sequence <= head ? sequence : 0;
}

/** Notifies this process's listeners of log entries that it has written, or read on behalf of all clients. */
export function notifyListeners(entries: readonly LogEntry[]): void {
  for (const listener of [...listeners]) listener(entries);
}

/** Whether anything in this process listens for new entries. */
export const hasListeners = () => listeners.size > 0;

/** Calls `listener` with the entries of every `notifyListeners`; returns a function that unsubscribes it. */
export function onNewEntries(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
