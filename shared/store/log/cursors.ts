import { eventRetentionSeconds } from "../../limits.ts";
import { succeeds } from "../table/conflicts.ts";
import { getItem } from "../table/table.ts";
import { transact } from "../table/transactions.ts";
import { type Condition, create, type Key, update, type Write } from "../table/writes.ts";
import { readHead } from "./log.ts";
import { readEntries } from "./tail.ts";

/** The cursors of the log's subscribers. */

export interface Cursor {
  /** The sequence number up to which every entry is processed; absent until one is. Stored as `place`. */
  sequence?: number;
  /** The lease's expiry in UNIX milliseconds; 0 when no worker holds it. */
  leasedUntil?: number;
  /** UNIX milliseconds at which the cursor last moved. */
  movedAt?: number;
  /** Only of the search index: the ID up to which all messages are indexed. */
  message?: number;
}

/** Keys never change, so that an upgraded deployment continues where the older version stopped. */
export const cursors = {
  notifications: { pk: "PUSH", sk: "POSITION" },
  search: { pk: "SEARCH", sk: "POSITION" },
  traffic: { pk: "CHANNELTRAFFIC", sk: "COUNTED" },
} as const satisfies Record<string, Key>;

/** A cursor from its stored item. */
export const toCursor = ({ place, ...rest }: Omit<Cursor, "sequence"> & { place?: number }): Cursor => ({
  ...rest,
  ...(place !== undefined && { sequence: place }),
});

/** Strongly consistent: 1 read unit. */
export async function findCursor(key: Key): Promise<Cursor | undefined> {
  const item = await getItem<Parameters<typeof toCursor>[0]>(key, { consistent: true });
  return item && toCursor(item);
}

/** Creates a cursor at a sequence number. Idempotent: an existing cursor stays. */
export async function createCursor(key: Key, sequence: number): Promise<void> {
  await succeeds(transact([create({ ...key, place: sequence, leasedUntil: 0, movedAt: Date.now() })]));
}

/** Moves the cursor and makes `writes` in one transaction; throws ConditionFailed when another worker moved it first. */
export const moveCursor = (
  key: Key,
  before: Cursor,
  { sequence, ...after }: Omit<Cursor, "movedAt">,
  leaseHeld: Condition,
  writes: readonly Write[] = [],
): Promise<void> =>
  transact([
    update(
      key,
      { set: { ...after, place: sequence, movedAt: Date.now() } },
      { equals: { ...leaseHeld.equals, place: before.sequence } },
    ),
    ...writes,
  ]);

/** The log's end, if the entries after the cursor have expired; undefined when the subscriber can continue at its cursor. */
export async function sequenceAfterExpired({ sequence = 0, movedAt }: Cursor): Promise<number | undefined> {
  if (movedAt === undefined || Date.now() - movedAt <= eventRetentionSeconds * 1000) return undefined;
  const head = (await readHead()).event;
  const canContinue = head <= sequence || (await readEntries(sequence, sequence + 1)).length > 0;
  return canContinue ? undefined : head;
}
