import { isUnavailable } from "../../base/aws/unavailable.ts";
import { maxCallMs } from "../table/commit-window.ts";
import { retryPolicy } from "../table/retries.ts";
import { tryTransact } from "../table/transactions.ts";
import { create, type Item } from "../table/writes.ts";
import { entryItem } from "./stored-entry.ts";

/** Tombstones end the wait for entries that may never be written. */

/** How long a missing entry holds up the entries after it before a reader writes a tombstone in its place. */
export const gapTimeoutMs = 1000;

/**
 * Writes a tombstone under an unused sequence number, so that a slow writer must reserve another. Idempotent; returns the item that
 * is there already. Costs 2 write units.
 */
export async function writeTombstone(sequence: number): Promise<Item | undefined> {
  const policy = { ...retryPolicy, deadline: Date.now() + maxCallMs };
  const failure = await tryTransact([create(entryItem({ sequence }))], undefined, policy);
  if (failure && !failure.write) throw failure.error;
  return failure?.existing;
}

/** For tombstones that may as well be written by a later reader. */
export function ignoreUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error;
}

/** Writes tombstones for the sequence numbers in `(after, upTo]` that are not among `written`. */
export async function fillGaps(after: number, upTo: number, written: readonly number[]): Promise<void> {
  const existing = new Set(written);
  const sequences = Array.from({ length: upTo - after }, (_, index) => after + 1 + index);
  await Promise.all(sequences.filter((sequence) => !existing.has(sequence)).map(writeTombstone));
}
