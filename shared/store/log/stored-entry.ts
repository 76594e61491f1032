import { eventRetentionSeconds } from "../../limits.ts";
import { nowSeconds } from "../../time.ts";
import { fetchRange } from "../table/calls.ts";
import { padded } from "../table/keys.ts";
import { entriesPerPartition, eventKey, logPartition } from "../table/log-items.ts";
import { compressIfLong, decompress } from "../table/packing.ts";
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

export async function readStored(after: number, upTo: number, consistent: boolean): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (let from = after + 1; from <= upTo; from = (Math.floor(from / entriesPerPartition) + 1) * entriesPerPartition) {
    const pk = logPartition(from);
    entries.push(...(await fetchRange<StoredEntry>({ pk, from: padded(from), to: padded(upTo) }, consistent)));
  }
  return entries;
}
