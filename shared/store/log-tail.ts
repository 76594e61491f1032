import { setTimeout as pause } from "node:timers/promises";
import { padded } from "./keys.ts";
import { closePlace, logPartition, oldestWriterSeconds, placesPerPartition, readHead } from "./log.ts";
import { type LogEntry, recall, remember, settledPlace, settleUpTo } from "./log-memory.ts";
import { unpacked } from "./packing.ts";
import { queryItems } from "./queries.ts";

/**
 * Reading the log. Numbers are taken before an event is written, so that a place may be empty for a moment, or for ever
 * when its writer died. What a reader gets never skips a place that may still be written.
 */

/** How long a reader lets an empty place hold up the events behind it before it closes the place. */
const patienceMs = 1000;

export type StoredEntry = Omit<LogEntry, "place"> & {
  sk: string;
  at: number;
  packedEvent?: Uint8Array;
  /** Whoever took earlier numbers had written, or never would, when these were taken. */
  afterRest?: boolean;
};
type TimedEntry = LogEntry & Pick<StoredEntry, "at" | "afterRest">;

/** An entry as it is read from the table. */
export function entryOf({ sk, at, afterRest, audience, packedEvent, ...stored }: StoredEntry): TimedEntry {
  const event = packedEvent ? (JSON.parse(unpacked(packedEvent)) as LogEntry["event"]) : stored.event;
  return { place: Number(sk), at, ...(afterRest && { afterRest }), ...(audience && event && { audience, event }) };
}

/** The entries in `(after, upTo]` that are there, over as many partitions as they lie in; 0.5 read units for each 4 KB. */
export async function readEntries(after: number, upTo: number, { consistent = false } = {}): Promise<TimedEntry[]> {
  const entries: TimedEntry[] = [];
  for (let from = after + 1; from <= upTo; from = (Math.floor(from / placesPerPartition) + 1) * placesPerPartition) {
    const pk = logPartition(from);
    const stored = await queryItems<StoredEntry>({ pk, from: padded(from), to: padded(upTo), consistent });
    entries.push(...stored.map(entryOf));
  }
  return entries;
}

/** The read of the head that is under way, of which table. */
let reading: { table: string; head: ReturnType<typeof readHead> } | undefined;

/**
 * The head as of a moment ago. Those who look at the same moment in one process read it once: what this process has
 * written or read by then each of them has seen before (`recall`).
 */
async function currentHead() {
  const table = `${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME}`;
  // Another's failure is not ours: then the read is made again.
  if (reading?.table === table) return reading.head.catch(() => readHead({ consistent: false }));
  const mine = { table, head: readHead({ consistent: false }) };
  reading = mine;
  try {
    return await mine.head;
  } finally {
    if (reading === mine) reading = undefined;
  }
}

/** Reads the log onwards from a place. One poll keeps one: it remembers since when a gap is in its way. */
export class LogReader {
  place: number;
  /** Whether the last look met numbers that were given out and not written yet: the next look is due soon. */
  expecting = false;
  #gapSince = 0;

  constructor(place: number) {
    this.place = place;
  }

  /** Whether an empty place holds up events that are there already. */
  get blocked(): boolean {
    return this.#gapSince > 0;
  }

  /** The next entries without a gap, at most `limit`, and moves on behind them. 0.5 read units when there are none. */
  async next(limit: number): Promise<LogEntry[]> {
    const known = recall(this.place, limit);
    if (known.length > 0) return this.#movedBehind(known);
    const head = await currentHead();
    this.expecting = head.event > this.place;
    if (!this.expecting) return [];
    const upTo = Math.min(head.event, this.place + limit);
    const ready = leading(this.place, await readEntries(this.place, upTo));
    const read = ready.length > 0 ? ready : await this.#pastGap(head.event);
    remember(read);
    return this.#movedBehind(read);
  }

  #movedBehind(entries: LogEntry[]): LogEntry[] {
    const last = entries.at(-1);
    if (!last) return entries;
    settleUpTo(last.place, this.place);
    this.place = last.place;
    this.expecting = false;
    this.#gapSince = 0;
    return entries;
  }

  /** The next place is empty: once that has held up later events for long enough, closes it. */
  async #pastGap(head: number): Promise<LogEntry[]> {
    const window = { after: this.place, upTo: Math.min(head, this.place + placesPerPartition) };
    const entries = await readEntries(window.after, window.upTo, { consistent: true });
    const ready = leading(this.place, entries);
    if (ready.length > 0) return ready;
    if (entries.length === 0) return [];
    this.#gapSince ||= Date.now();
    if (Date.now() - this.#gapSince < patienceMs) return [];
    await closeEmpty(this.place, entries.at(-1)?.place ?? this.place, entries);
    return leading(this.place, await readEntries(window.after, window.upTo, { consistent: true }));
  }
}

/** The entries that follow a place without a gap. */
function leading<E extends LogEntry>(after: number, entries: readonly E[]): E[] {
  const end = entries.findIndex(({ place }, index) => place !== after + 1 + index);
  return end < 0 ? [...entries] : entries.slice(0, end);
}

/** Closes the places in `(after, upTo]` that are not among `entries`. */
async function closeEmpty(after: number, upTo: number, entries: readonly LogEntry[]): Promise<void> {
  const there = new Set(entries.map(({ place }) => place));
  const places = Array.from({ length: upTo - after }, (_, index) => after + 1 + index);
  await Promise.all(places.filter((place) => !there.has(place)).map(closePlace));
}

/**
 * A place of the log up to which nothing will be written any more: everything before it is in the table, everything
 * after it is still to come. Waits a moment for writers under way and closes the places of those that do not come.
 * Reads 1 read unit where nothing was written for a minute; else also that minute's log, or as much of it as has come
 * since this process knew of such a place.
 */
export async function settledHead(): Promise<number> {
  const { event: head, at } = await readHead();
  if (at === undefined || at >= oldestWriter()) await settle(head);
  settleUpTo(head);
  return head;
}

const oldestWriter = () => Date.now() / 1000 - oldestWriterSeconds;

async function settle(head: number): Promise<void> {
  const giveUp = Date.now() + patienceMs;
  for (;;) {
    const { start, entries } = await readRecent(head);
    if (entries.length === head - start) return;
    if (Date.now() >= giveUp) return closeEmpty(start, head, entries);
    await pause(25);
  }
}

/** The log's end, back to a `start` before which no writer is still under way. */
async function readRecent(head: number): Promise<{ start: number; entries: LogEntry[] }> {
  const since = oldestWriter();
  const least = settledPlace(head);
  let entries: TimedEntry[] = [];
  for (let end = head, size = 20; end > least; size *= 4) {
    const start = Math.max(least, end - size);
    const page = await readEntries(start, end, { consistent: true });
    // So many at once are not being written: they have expired, since nothing had happened for days.
    if (page.length === 0 && end - start >= placesPerPartition) return { start: end, entries };
    entries = [...page, ...entries];
    end = start;
    // Whoever holds an earlier number took it before this one was written.
    const index = entries.findLastIndex(({ at, afterRest }) => at < since || afterRest);
    const rested = entries[index];
    if (rested) return { start: rested.place - 1, entries: entries.slice(index) };
  }
  return { start: least, entries };
}
