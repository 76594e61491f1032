import { eventRetentionSeconds } from "../../limits.ts";
import { getItem } from "../table/table.ts";
import { ConditionFailed, transact } from "../table/transactions.ts";
import { type Condition, create, type Key, update, type Write } from "../table/writes.ts";
import { readHead } from "./log.ts";
import { readEntries } from "./tail.ts";

/** The cursors of the log's subscribers: how far each has processed the log. */

export interface Cursor {
  /** The sequence number up to which every entry is processed; absent before the first. Stored as `place`. */
  sequence?: number;
  /** UNIX milliseconds until which one worker holds the lease; 0: none does. */
  leasedUntil?: number;
  /** UNIX milliseconds of the last move. */
  movedAt?: number;
  /** Of the search index: the newest indexed message; all earlier ones are indexed too. */
  message?: number;
}

/** Keys never change, so that an upgraded fleet continues where the older version stopped. */
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

/** Creates a cursor at a sequence number, unless there is one. */
export async function beginCursor(key: Key, sequence: number): Promise<void> {
  try {
    await transact([create({ ...key, place: sequence, leasedUntil: 0, movedAt: Date.now() })]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Moves the cursor and makes `writes` in one transaction; throws ConditionFailed when another worker moved it first. */
export const moveCursor = (
  key: Key,
  before: Cursor,
  { sequence, ...after }: Omit<Cursor, "movedAt">,
  held: Condition,
  writes: readonly Write[] = [],
): Promise<void> =>
  transact([
    update(
      key,
      { set: { ...after, place: sequence, movedAt: Date.now() } },
      { equals: { ...held.equals, place: before.sequence } },
    ),
    ...writes,
  ]);

/** The log's end, for a cursor that rested for longer than the log retains entries. Undefined when nothing was missed. */
export async function sequenceAfterExpired({ sequence = 0, movedAt }: Cursor): Promise<number | undefined> {
  if (movedAt === undefined || Date.now() - movedAt <= eventRetentionSeconds * 1000) return undefined;
  const head = (await readHead()).event;
  const isThere = head <= sequence || (await readEntries(sequence, sequence + 1)).length > 0;
  return isThere ? undefined : head;
}
