import { eventRetentionSeconds } from "../../base/limits.ts";
import { nowSeconds } from "../../base/time.ts";
import { noteRead } from "../table/log-end.ts";
import { eventKey, fetchEntries } from "../table/log-items.ts";
import { compressIfLong, decompress } from "../table/packing.ts";
import type { StoredWrites } from "../table/written-items.ts";
import type { LogEntry } from "./entry.ts";

/** How the table stores the log's entries. */

/**
 * The item of an entry, or of a tombstone when there is no event. A long event is compressed, because it may carry a
 * message's text and HTML from before and after an edit.
 */
export function entryItem({ sequence, event, at = nowSeconds(), ...rest }: LogEntry) {
  const packedEvent = event && compressIfLong(JSON.stringify(event));
  return {
    ...eventKey(sequence),
    ...rest,
    ...(packedEvent ? { packedEvent } : { event }),
    at,
    expiresAt: at + eventRetentionSeconds,
  };
}

export type StoredEntry = Omit<LogEntry, "sequence"> & {
  sk: string;
  at: number;
  packedEvent?: Uint8Array;
};

/** An entry from its stored item. */
export function entryOf({ sk, at, audience, packedEvent, ...stored }: StoredEntry): LogEntry {
  const event = packedEvent ? (JSON.parse(decompress(packedEvent)) as LogEntry["event"]) : stored.event;
  return { sequence: Number(sk), at, ...(audience && event && { audience, event }) };
}

/** The existing entries in `(after, upTo]`; 0.5 read units for each 4 KB, 1 if consistent. */
export const readEntries = async (after: number, upTo: number, { consistent = false } = {}): Promise<LogEntry[]> =>
  (await fetchEntries<StoredEntry>(after, upTo, consistent)).map(entryOf);

/** Like `readEntries`. What the changes up to the first gap wrote counts as recent from then on. */
export async function readAndNote(after: number, upTo: number, { consistent = false } = {}): Promise<LogEntry[]> {
  const stored = await fetchEntries<StoredEntry & StoredWrites>(after, upTo, consistent);
  const gap = stored.findIndex(({ sk }, index) => Number(sk) !== after + 1 + index);
  noteRead(after, gap < 0 ? stored : stored.slice(0, gap), false);
  return stored.map(entryOf);
}
