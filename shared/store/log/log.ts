import { isUnavailable, Unavailable } from "../../aws/unavailable.ts";
import { eventRetentionSeconds } from "../../limits.ts";
import { nowSeconds } from "../../time.ts";
import { loadItem } from "../table/batching.ts";
import { succeeds } from "../table/conflicts.ts";
import { eventKey, headKey } from "../table/log-end.ts";
import { compressIfLong } from "../table/packing.ts";
import { packWrittenItems, recordOwnWrites, writtenItemsOf } from "../table/recent-writes.ts";
import { backOff, type RetryPolicy, retryThrottled } from "../table/retries.ts";
import { updateItem } from "../table/single-writes.ts";
import { transact, tryTransact } from "../table/transactions.ts";
import { create, type Key, type Refusal, type Write } from "../table/writes.ts";
import type { LoggedEvent } from "./entry.ts";
import { cacheEntries, notifyListeners } from "./entry-cache.ts";

/** The organization's log: all events in one total order, each written in the transaction of the change that it reports. */

/** The first of the consecutive numbers of each kind that are reserved for one change. */
export interface Numbers {
  /** The sequence number of its first event. */
  event: number;
  /** The ID of its first message. */
  message: number;
  /** The ID of its first scheduled message. */
  scheduledMessage: number;
}

/** How many IDs a change needs. One item hands out all numbers, so that a reservation costs one write unit. */
interface NeededIds {
  messages?: number;
  scheduledMessages?: number;
}

/** What a transaction writes, and the events that report it. A change without events is in the log too, for nobody to see. */
export interface Change {
  writes?: readonly Write[];
  /** Items that the change wrote before its transaction. The log entry names them as recently written, too. */
  wroteBefore?: readonly Key[];
  events?: readonly LoggedEvent[];
  /** The error that the failed condition of a write without `orElse` means; by default ConditionFailed. */
  orElse?: Refusal;
}

/** The newest reserved numbers. */
export interface Head extends Numbers {
  /** The time of the newest reservation in UNIX seconds; absent before the first. */
  at?: number;
}

/**
 * A number that was reserved longer ago than this and has no entry will never get one: `commit` writes no entries after
 * `maxReservationMs`, and then retries its transaction for seconds (`entryRetries`).
 */
export const maxWriterSeconds = 60;

/**
 * A change that was not planned within this time is refused. To find recent writes, requests read only the last
 * seconds of the log, so entries must be written soon after their timestamp and roughly in the order of their numbers.
 */
const maxReservationMs = 10_000;

/**
 * The newest reserved numbers; 0 before the first reservation. Costs 1 read unit, or 0.5 if the read is only eventually
 * consistent.
 */
export async function readHead({ consistent = true } = {}): Promise<Head> {
  const head = await loadItem<Head>(headKey, consistent);
  return head ?? { event: 0, message: 0, scheduledMessage: 0 };
}

/**
 * Writes a change and its events in one transaction. When a condition of the writes does not hold, throws what that write's
 * `orElse`, or else the change's, says, or ConditionFailed.
 */
export async function commit(change: Change): Promise<void> {
  await commitNumbered({}, () => change);
}

/**
 * Like `commit`, for a change that contains newly reserved numbers; returns what `plan` returned. `plan` must have no side
 * effects, because it runs several times: first with zeros, which shows how many events there are, and again with other numbers
 * when a reader has written a tombstone under its sequence number.
 */
export async function commitNumbered<P extends Change>(
  needed: NeededIds,
  plan: (numbers: Numbers) => P | Promise<P>,
): Promise<P> {
  const { events = [] } = await plan({ event: 0, message: 0, scheduledMessage: 0 });
  // A change without events writes an entry too, because readers of the log must learn which items changed.
  const eventCount = Math.max(1, events.length);
  for (let attempt = 1; ; attempt++) {
    const reservation = await retryThrottled(() => reserveNumbers(eventCount, needed), reservationRetries);
    const change = await plan(reservation.numbers);
    if (await write(change, reservation)) return change;
    // Longer than for the first numbers: a reader has given them up because the table is slow.
    if (!(await backOff(attempt + 2, reservationRetries)))
      throw new Unavailable(`The log's sequence numbers were taken in ${attempt} attempts`);
  }
}

/** Writes a change with its entries under reserved sequence numbers; false when a reader has taken one of them. */
async function write(change: Change, { numbers, afterQuiescence, reservedAtMs }: Reservation): Promise<boolean> {
  const { writes = [], wroteBefore = [], orElse } = change;
  const events = change.events?.length ? change.events : [noop];
  const sequences = events.map((_, index) => numbers.event + index);
  // Tombstones spare readers the wait for entries that will never be written.
  const abandon = () => Promise.all(sequences.map(writeTombstone)).catch(ignoreUnavailable);
  if (Date.now() - reservedAtMs > maxReservationMs) {
    await abandon();
    // Further numbers would expire too while the table throttles, and cost units that other changes need.
    throw new Unavailable(`A change was not planned within ${maxReservationMs} ms`);
  }
  const writtenItems = [...writtenItemsOf(writes), ...wroteBefore];
  const firstAttributes = {
    ...(afterQuiescence && { afterQuiescence }),
    packedChanges: packWrittenItems(writtenItems),
  };
  const entries = events.map((logged, index) =>
    create({ ...entryItem(sequences[index] as number, logged), ...(index === 0 && firstAttributes) }),
  );
  // When this throws, the table throttles: readers write the tombstones then.
  const failure = await tryTransact([...writes, ...entries], orElse, entryRetries);
  // A reader has written a tombstone under the number of an entry.
  if (failure?.write && entries.includes(failure.write)) return false;
  if (failure) {
    await abandon();
    throw failure.error;
  }
  recordOwnWrites(writtenItems, numbers.event);
  const at = nowSeconds();
  const written = events.map((logged, index) => ({ sequence: sequences[index] as number, at, ...logged }));
  cacheEntries(written);
  notifyListeners(written);
  return true;
}

/**
 * The item of an entry, or of a tombstone when there is no event. A long event is compressed, because it may carry a
 * message's text and HTML from before and after an edit.
 */
function entryItem(sequence: number, { event, ...rest }: Partial<LoggedEvent>) {
  const now = nowSeconds();
  const packedEvent = event && compressIfLong(JSON.stringify(event));
  return {
    ...eventKey(sequence),
    ...rest,
    ...(packedEvent ? { packedEvent } : { event }),
    at: now,
    expiresAt: now + eventRetentionSeconds,
  };
}

/**
 * Writes a tombstone under an unused sequence number, so that a slow writer must reserve another. Idempotent. Costs 2
 * write units.
 */
export async function writeTombstone(sequence: number): Promise<void> {
  await succeeds(transact([create({ ...entryItem(sequence, {}), closed: true })]));
}

/** For tombstones that may as well be written by a later reader. */
export function ignoreUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error;
}

const noop: LoggedEvent = { audience: { kind: "users", userIds: [] }, event: { type: "silence" } };

/**
 * While the table throttles, a change that has its numbers goes before those that wait for numbers: a reader gives up a missing
 * entry after a second, and then it has cost a tombstone, and its change must begin again. So changes wait for numbers with long
 * delays, 30 seconds in all on average or until the request's time limit, and for their transaction with short ones, 5 seconds.
 */
const reservationRetries: RetryPolicy = {
  attempts: 12,
  backoff: (attempt) => Math.random() * Math.min(100 * 2 ** attempt, 8000),
};
const entryRetries: RetryPolicy = {
  attempts: 200,
  backoff: (attempt) => Math.random() * Math.min(10 * 2 ** attempt, 50),
};

interface Reservation {
  numbers: Numbers;
  reservedAtMs: number;
  /** Nothing was reserved for so long that all earlier writers have finished or died. */
  afterQuiescence: boolean;
}

async function reserveNumbers(
  events: number,
  { messages = 0, scheduledMessages = 0 }: NeededIds,
): Promise<Reservation> {
  const at = nowSeconds();
  const change = { set: { at }, add: { event: events, message: messages, scheduledMessage: scheduledMessages } };
  const before = await updateItem<Partial<Head>>(headKey, change, "ALL_OLD");
  const numbers: Numbers = {
    event: (before.event ?? 0) + 1,
    message: (before.message ?? 0) + 1,
    scheduledMessage: (before.scheduledMessage ?? 0) + 1,
  };
  const afterQuiescence = before.at !== undefined && before.at < at - maxWriterSeconds;
  return { numbers, reservedAtMs: at * 1000, afterQuiescence };
}
