import type { LoggedEvent } from "./log.ts";

/**
 * Entries of the log that this process has written or read. An entry never changes, so that what is kept here is true
 * for ever; it spares reads and lets a poll that waits in the same process see a change at once. Nothing rests on it:
 * a function that is alone in its process finds the same entries in the table.
 */

/** One place of the log: an event, or nothing where a reader has closed it. */
export interface LogEntry extends Partial<LoggedEvent> {
  place: number;
}

const mostKept = 2000;
const entries = new Map<string, LogEntry>();
type Listener = (written: readonly LogEntry[]) => void;
const listeners = new Set<Listener>();

/** Several tables in one process are told apart. */
const ofTable = () => `${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME} `;

export function remember(read: readonly LogEntry[]): void {
  const table = ofTable();
  for (const entry of read) entries.set(table + entry.place, entry);
  for (const key of entries.keys()) {
    if (entries.size <= mostKept) break;
    entries.delete(key);
  }
}

/** The entries after a place that are known here, up to the first that is not. */
export function recall(after: number, limit: number): LogEntry[] {
  const known: LogEntry[] = [];
  const table = ofTable();
  for (let place = after + 1; known.length < limit; place++) {
    const entry = entries.get(table + place);
    if (!entry) break;
    known.push(entry);
  }
  return known;
}

const settled = new Map<string, number>();

/** Every place up to this one is written or closed, and stays so; or those after `after`, which says nothing of the ones before. */
export function settleUpTo(place: number, after = 0): void {
  const table = ofTable();
  const known = settled.get(table) ?? 0;
  if (after <= known && place > known) settled.set(table, place);
}

/** The last place up to which nothing will be written any more, as far as is known here; 0 where that is beyond `head`. */
export function settledPlace(head: number): number {
  const place = settled.get(ofTable()) ?? 0;
  return place <= head ? place : 0;
}

/** Wakes whoever waits in this process for the log to grow. */
export function announce(written: readonly LogEntry[]): void {
  for (const listener of [...listeners]) listener(written);
}

/** Whether anybody in this process waits for the log to grow. */
export const isAwaited = () => listeners.size > 0;

let followed = false;
/** From now on somebody in this process reads the log as it grows, and wakes those who wait. */
export function followHere(): void {
  followed = true;
}
export const isFollowedHere = () => followed;

/** Calls `listener` whenever this process has written to the log; returns how to end that. */
export function onGrowth(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
