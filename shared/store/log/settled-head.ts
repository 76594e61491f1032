import { setTimeout as pause } from "node:timers/promises";
import { recentSince } from "../table/commit-window.ts";
import { noteRead } from "../table/log-end.ts";
import { entriesPerPartition } from "../table/log-items.ts";
import { markSettled, settledSequence } from "./entry-cache.ts";
import { type Head, readHead } from "./log.ts";
import { entryOf, readStored, type StoredEntry } from "./stored-entry.ts";
import { fillGaps, gapTimeoutMs } from "./tombstones.ts";

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
