import { eventRetentionSeconds } from "../../base/limits.ts";
import { succeeds } from "../table/conflicts.ts";
import { getItem } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import { ConditionFailed, transact } from "../table/transactions.ts";
import { type Condition, create, type Key, put, update, type Write } from "../table/writes.ts";
import { readHead } from "./log.ts";
import { readEntries } from "./stored-entry.ts";

/** The cursors of the log's subscribers. */

export interface Cursor {
  /** The sequence number up to which every entry is processed; absent until one is. */
  sequence?: number;
  /** The lease's expiry in UNIX milliseconds; 0 when no worker holds it. */
  leasedUntil?: number;
  /** UNIX milliseconds at which the cursor last moved. */
  movedAt?: number;
  /** Only of the search index: the ID up to which all messages are in the records of their topics. */
  message?: number;
}

export const cursors = {
  notifications: { pk: "PUSH", sk: "POSITION" },
  search: { pk: "SEARCH", sk: "POSITION" },
  traffic: { pk: "CHANNELTRAFFIC", sk: "COUNTED" },
} as const satisfies Record<string, Key>;

/** Strongly consistent: 1 read unit. */
export const findCursor = (key: Key): Promise<Cursor | undefined> => getItem<Cursor>(key);

/** Creates a cursor at a sequence number. Idempotent: an existing cursor stays. */
export async function createCursor(key: Key, sequence: number): Promise<void> {
  await succeeds(transact([create({ ...key, sequence, leasedUntil: 0, movedAt: Date.now() })]));
}

/** Puts a cursor, whatever is there: for an organization that nobody uses yet. */
export const putCursor = (key: Key, cursor: Cursor): Write => put({ ...key, ...cursor, movedAt: Date.now() });

/**
 * Moves the cursor and makes `writes` in one transaction; throws ConditionFailed when another worker moved it first. 1 write unit
 * without `writes`, otherwise 2 and those of `writes`.
 */
export async function moveCursor(
  key: Key,
  before: Cursor,
  after: Omit<Cursor, "movedAt">,
  leaseHeld: Condition,
  writes: readonly Write[] = [],
): Promise<void> {
  const change = { set: { ...after, movedAt: Date.now() } };
  const unmoved = { equals: { ...leaseHeld.equals, sequence: before.sequence } };
  if (writes.length > 0) return transact([update(key, change, unmoved), ...writes]);
  if (!(await updateIf(key, change, unmoved))) throw new ConditionFailed();
}

/** The log's end, if the entries after the cursor have expired; undefined when the subscriber can continue at its cursor. */
export async function sequenceAfterExpired({ sequence = 0, movedAt }: Cursor): Promise<number | undefined> {
  if (movedAt === undefined || Date.now() - movedAt <= eventRetentionSeconds * 1000) return undefined;
  const head = (await readHead()).event;
  const canContinue = head <= sequence || (await readEntries(sequence, sequence + 1)).length > 0;
  return canContinue ? undefined : head;
}
