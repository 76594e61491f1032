import { isThrottled, Unavailable } from "../../base/aws/unavailable.ts";
import { nowSeconds } from "../../base/time.ts";
import { loadItem } from "../table/batching.ts";
import { maxCallMs, maxCommitMs, recentSeconds } from "../table/commit-window.ts";
import { type FollowUp, followUpWrites, startFollowUps } from "../table/follow-ups.ts";
import { headKey } from "../table/log-items.ts";
import { recordOwnWrites } from "../table/recent-writes.ts";
import { backOff, type RetryPolicy, retryThrottled } from "../table/retries.ts";
import { updateAndGetOld } from "../table/single-writes.ts";
import { type Failure, tryTransact } from "../table/transactions.ts";
import { create, type Item, type Key, type Refusal, type Write } from "../table/writes.ts";
import { packWrittenItems, writtenItemsOf } from "../table/written-items.ts";
import type { LogEntry, LoggedEvent } from "./entry.ts";
import { cacheEntries, notifyListeners } from "./entry-cache.ts";
import { entryItem } from "./stored-entry.ts";
import { ignoreUnavailable, writeTombstone } from "./tombstones.ts";

/**
 * The organization's log: all events in one total order, each written in the transaction of the change that it reports. A change
 * first reserves sequence numbers at the log's head, one item, and then writes its items and its entries under these numbers in
 * one transaction. So for a moment, or forever if the writer dies, a number has no entry. A reader (`reader.ts`) does not pass
 * such a gap: after a second it writes a tombstone there (`tombstones.ts`), and the writer, if it lives, begins again with other
 * numbers. A change has 20 seconds (`../table/commit-window.ts`), after which what it has not written it never will.
 */

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
  /** What the change causes, such as jobs. */
  followUps?: readonly FollowUp[];
  /** The error that the failed condition of a write without `refusal` means; by default ConditionFailed. */
  refusal?: Refusal;
}

/**
 * A change that contains newly reserved numbers, such as the sequence number of its event. `plan` must have no side effects, and
 * runs several times: see `commitNumbered`.
 */
export interface NumberedChange {
  neededIds?: NeededIds;
  plan: (numbers: Numbers) => Change | Promise<Change>;
}

/** What a function adds to a change that its caller commits. `joinParts` puts parts together. */
export type ChangePart = Required<Pick<Change, "writes" | "events">> & Pick<Change, "followUps">;

export const noChange: ChangePart = { writes: [], events: [] };

/** All that the parts contain, in their order. */
export const joinParts = (...parts: readonly Partial<ChangePart>[]): Required<ChangePart> => ({
  writes: parts.flatMap(({ writes = [] }) => writes),
  events: parts.flatMap(({ events = [] }) => events),
  followUps: parts.flatMap(({ followUps = [] }) => followUps),
});

/** A change with a part that is written with it, and whose events follow its own. */
export const withPart = ({ neededIds, plan }: NumberedChange, part: ChangePart): NumberedChange => ({
  ...(neededIds && { neededIds }),
  plan: async (numbers) => {
    const change = await plan(numbers);
    return { ...change, ...joinParts(change, part) };
  },
});

/** The newest reserved numbers. */
export interface Head extends Numbers {
  /** The time of the newest reservation in UNIX seconds; absent before the first. */
  at?: number;
}

/**
 * The newest reserved numbers; 0 before the first reservation. Costs 1 read unit, or 0.5 if the read is only eventually
 * consistent.
 */
export async function readHead({ consistent = true } = {}): Promise<Head> {
  const head = await loadItem<Head>(headKey, consistent);
  return head ?? { event: 0, message: 0, scheduledMessage: 0 };
}

/**
 * Writes a change and its events in one transaction, and then starts what follows it. When a condition of the writes does not hold,
 * throws what that write's `refusal`, or else the change's, says, or ConditionFailed.
 */
export async function commit(change: Change | NumberedChange): Promise<void> {
  const { neededIds = {}, plan } = "plan" in change ? change : { plan: () => change };
  await commitNumbered(neededIds, plan);
}

/**
 * Like `commit`, for a change that contains newly reserved numbers; returns what `plan` returned. `plan` must have no side
 * effects, because it runs several times, always with the same number of events: first with zeros, which shows that number, and
 * again with other numbers when a reader has written a tombstone under its sequence number.
 *
 * Throws an error that `isUnavailable` when the change could not be written within `maxCommitMs`. It is then not written, and never
 * will be: `wasCommitted` says how that is known, and the one case in which it is not.
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
    if (Math.max(1, change.events?.length ?? 0) !== eventCount)
      throw new Error(`A plan with ${eventCount} events has ${change.events?.length ?? 0} with its numbers`);
    if (await write(change, reservation)) {
      await startFollowUps(change.followUps ?? []);
      return change;
    }
    // Longer than for the first numbers: a reader has given them up because the table is slow.
    if (!(await backOff(attempt + 2, reservationRetries)))
      throw new Unavailable(`The log's sequence numbers were taken in ${attempt} attempts`);
  }
}

/** Writes a change with its entries under reserved sequence numbers; false when a reader has taken one of them. */
async function write(change: Change, { numbers, afterQuiescence, at }: Reservation): Promise<boolean> {
  const { writes = [], wroteBefore = [], followUps = [], refusal } = change;
  const events = change.events?.length ? change.events : [noop];
  const writtenItems = [...writtenItemsOf(writes), ...wroteBefore];
  const firstAttributes = {
    ...(afterQuiescence && { afterQuiescence }),
    writtenItems: packWrittenItems(writtenItems),
  };
  const written = events.map((logged, index) => ({ sequence: numbers.event + index, at, ...logged }));
  const entries = written.map((entry, index) => create({ ...entryItem(entry), ...(index === 0 && firstAttributes) }));
  const policy = { ...entryRetries, deadline: at * 1000 + maxCommitMs };
  const failure = await tryTransact([...writes, ...followUpWrites(followUps), ...entries], refusal, policy).catch(
    (error): Failure => {
      // Readers write the tombstones when the table is no longer throttled.
      if (isThrottled(error)) throw error;
      return { error };
    },
  );
  if (failure) {
    const isEntryRefused = failure.write !== undefined && entries.includes(failure.write);
    if (isEntryRefused && !isEntryOf(at)(failure.existing)) return false;
    if (!isEntryRefused && !(await wasCommitted(written, at))) throw failure.error;
  }
  recordOwnWrites(writtenItems, numbers.event, at);
  cacheEntries(written);
  notifyListeners(written);
  return true;
}

/**
 * Whether a change whose transaction failed is written after all, as when its reply was lost, or when it was aborted while
 * DynamoDB executed it. Writes tombstones at its numbers, which no other change has: where a tombstone is, the change is not
 * written and can no longer be, however late a request of it arrives. The tombstones also spare readers the wait for its entries.
 *
 * Only when the table cannot be reached for this either, or when throttled calls followed a lost reply, is it unknown: then the
 * caller's error (503) may stand for a change that was made. Who repeats the request must expect that it was. Messages have local
 * IDs for that, and jobs their marks.
 */
async function wasCommitted(entries: readonly LogEntry[], at: number): Promise<boolean> {
  try {
    return (await Promise.all(entries.map(({ sequence }) => writeTombstone(sequence)))).some(isEntryOf(at));
  } catch (error) {
    ignoreUnavailable(error);
    return false;
  }
}

/** Whether the item at a sequence number is the entry with this timestamp, rather than a tombstone. */
const isEntryOf = (at: number) => (existing: Item | undefined) =>
  existing?.audience !== undefined && existing.at === at;

const noop: LoggedEvent = { audience: { kind: "users", userIds: [] }, event: { type: "silence" } };

/**
 * While the table throttles, a change that has its numbers goes before those that wait for numbers: a reader gives up a missing
 * entry after a second, and then it has cost a tombstone, and its change must begin again. So changes wait for numbers with long
 * delays, 30 seconds in all on average or until the request's time limit, and for their transaction with short ones, 5 seconds on
 * average and `maxCommitMs` at most.
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
  /** The timestamp of the numbers in UNIX seconds: from before they were reserved. */
  at: number;
  /** Nothing was reserved for so long that all earlier changes are committed, or never will be, and none is recent. */
  afterQuiescence: boolean;
}

async function reserveNumbers(
  events: number,
  { messages = 0, scheduledMessages = 0 }: NeededIds,
): Promise<Reservation> {
  const at = nowSeconds();
  const change = { set: { at }, add: { event: events, message: messages, scheduledMessage: scheduledMessages } };
  const before = await updateAndGetOld<Head>(headKey, change, Date.now() + maxCallMs);
  const numbers: Numbers = {
    event: (before.event ?? 0) + 1,
    message: (before.message ?? 0) + 1,
    scheduledMessage: (before.scheduledMessage ?? 0) + 1,
  };
  return { numbers, at, afterQuiescence: before.at !== undefined && before.at < at - recentSeconds };
}
