import { setTimeout as pause } from "node:timers/promises";
import { describeError } from "../../base/observability/describe-error.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import type { LogEvent } from "../../base/schema/event-types.ts";
import { type Cursor, findCursor, moveCursor, sequenceAfterExpired } from "../../store/log/cursors.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { readHead } from "../../store/log/log.ts";
import { readerUpTo } from "../../store/log/reader.ts";
import { type Lease, withLease } from "../../store/table/leases.ts";
import type { Condition, Key, Write } from "../../store/table/writes.ts";

const maxEntriesPerStep = 200;
/** Exceeds the time limit of the function that consumes the log. */
const leaseMs = 90_000;
/** The pause before another read of a gap in the log, or of a cursor that another worker moves. */
const pollIntervalMs = 200;

export interface Step {
  /** The last processed sequence number, when the step did not process every entry. */
  upTo?: number;
  /** Written in the transaction that moves the cursor, so exactly once. */
  writes?: readonly Write[];
  cursorAttributes?: Pick<Cursor, "message">;
}

/** A subscriber of the log, which processes every entry in order and at least once. */
export interface Subscriber {
  name: string;
  cursor: Key;
  /** Where the subscriber begins without a cursor: at the log's first entry, or at the next one. */
  startsAt: "start" | "now";
  /**
   * Whether the subscriber skips to the log's end when entries have expired before it processed them; otherwise its cursor
   * stays.
   */
  skipsExpired: boolean;
  /** The types of the events that its step does something about. */
  events: readonly LogEvent["type"][];
  /** Whether anything needs the subscriber now; while nothing does, its cursor stays where it is. */
  isNeeded?(): Promise<boolean>;
  /**
   * Processes entries, at least once: a worker that dies before the cursor has moved leaves them to the next. The returned
   * `writes` are made exactly once.
   */
  step(entries: readonly LogEntry[], cursor: Cursor): Promise<Step | undefined>;
}

/** The sequence numbers of the first and the last entry known to be new. */
interface NewEntries {
  from?: number;
  upTo?: number;
}

/** The right to move a subscriber's cursor. */
export const leaseOf = ({ cursor }: Subscriber): Lease => ({ key: cursor, attribute: "leasedUntil", ms: leaseMs });

/**
 * Advances a subscriber past the new entries, and further to the log's end as far as `budgetMs` allows. One worker at a time
 * holds the lease: another waits until the cursor has passed the new entries, and takes over when the lease expires. Throws
 * when that takes longer than `budgetMs`, so that the caller retries. Without new entries, it must reach the log's end in that
 * time.
 */
export async function consumeLog(
  subscriber: Subscriber,
  newEntries: NewEntries = {},
  budgetMs = 20_000,
): Promise<void> {
  if (subscriber.isNeeded && !(await subscriber.isNeeded())) return;
  const { cursor: key, name } = subscriber;
  const { upTo = 0 } = newEntries;
  const deadline = Date.now() + budgetMs;
  while (
    !(await withLease(leaseOf(subscriber), (leaseHeld, item) =>
      catchUp(subscriber, item as Cursor, leaseHeld, newEntries, deadline),
    ))
  ) {
    const { sequence } = (await findCursor(key)) ?? {};
    if (sequence !== undefined && sequence >= upTo) return;
    if (Date.now() >= deadline)
      throw new Error(`Another worker holds the lease of ${name} and has not reached ${upTo}`);
    await pause(pollIntervalMs);
  }
}

/**
 * Advances several subscribers past new entries, except those whom none of the entries concerns. Logs failures, and throws them
 * together at the end.
 */
export async function consumeLogFor(subscribers: readonly Subscriber[], entries: readonly LogEntry[]): Promise<void> {
  const sequences = entries.map(({ sequence }) => sequence);
  const newEntries = sequences.length > 0 ? { from: Math.min(...sequences), upTo: Math.max(...sequences) } : {};
  const concerned = subscribers.filter((subscriber) => !canWait(subscriber, entries, newEntries));
  const failures: unknown[] = [];
  await Promise.all(
    concerned.map((subscriber) =>
      consumeLog(subscriber, newEntries).catch((error: unknown) => {
        console.error(JSON.stringify({ subscriber: subscriber.name, error: describeError(error) }));
        failures.push(error);
      }),
    ),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} subscribers of the log failed`);
}

/** The sequence numbers to which this process has seen subscribers advance, by their names. */
const reached = new ProcessCache<string, number>({ minRetained: 10 });
/** A subscriber may be this far behind the log's end. Fewer than a reader gets past when entries have expired. */
const maxEntriesBehind = 500;

/** Whether a subscriber may leave the new entries for later, because none concerns it. They are read with the next that does. */
function canWait({ name, events }: Subscriber, entries: readonly LogEntry[], { upTo }: NewEntries): boolean {
  const cursor = reached.get(name);
  if (cursor === undefined || upTo === undefined || upTo - cursor > maxEntriesBehind) return false;
  return !entries.some(({ event }) => event && events.includes(event.type));
}

/** Advances a subscriber whose lease this worker holds. */
async function catchUp(
  { name, cursor: key, startsAt, skipsExpired, step }: Subscriber,
  stored: Cursor,
  leaseHeld: Condition,
  { from, upTo = 0 }: NewEntries,
  deadline: number,
): Promise<{ isReleased: boolean }> {
  let before = stored;
  const skipTo = skipsExpired ? await sequenceAfterExpired(before) : undefined;
  const startSequence = startsAt === "start" ? 0 : from === undefined ? undefined : from - 1;
  const readerAfter = (sequence: number) => readerUpTo(upTo, sequence, maxEntriesPerStep);
  let reader = readerAfter(skipTo ?? before.sequence ?? startSequence ?? (await readHead()).event);
  if (reader.sequence !== before.sequence) {
    await moveCursor(key, before, { sequence: reader.sequence }, leaseHeld);
    before = { ...before, sequence: reader.sequence };
  }
  for (;;) {
    const entries = await reader.next(maxEntriesPerStep);
    if (entries.length === 0 && !reader.expectsMore && !reader.isBlocked) return { isReleased: false };
    if (entries.length > 0) {
      const { upTo: processed = reader.sequence, writes, cursorAttributes } = (await step(entries, before)) ?? {};
      const isLast = entries.length < maxEntriesPerStep && processed === reader.sequence && processed >= upTo;
      // The last move releases the lease as well, which saves a write unit.
      const after: Cursor = { ...cursorAttributes, sequence: processed, ...(isLast && { leasedUntil: 0 }) };
      await moveCursor(key, before, after, leaseHeld, writes);
      reached.set(name, processed);
      if (isLast) return { isReleased: true };
      if (processed !== reader.sequence) reader = readerAfter(processed);
      before = { ...before, ...after };
    } else await pause(pollIntervalMs);
    if (Date.now() < deadline) continue;
    // While entries are written as fast as they are processed, the later ones are left to later invocations.
    if (upTo > 0 && (before.sequence ?? 0) >= upTo) return { isReleased: false };
    throw new Error(`${name} has not reached ${upTo || "the end of the log"} in time`);
  }
}
