import type { MessageSummary, RangeQuery } from "../../store/messages/messages.ts";
import type { ReadMarks } from "../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { isRead } from "./flags.ts";

/** Reads a range of an ordered set of messages, for example a channel. */
export type ReadRun = (query: RangeQuery) => Promise<MessageSummary[]>;

/** No message has an ID as high as this. */
const beyondAll = Number.MAX_SAFE_INTEGER - 1;
/** Usually only a few messages are unread; the first small read finds them all. */
const firstStep = 8;
const maxStep = 1000;
/**
 * While many messages are unread, pages are fetched side by side: ranges of IDs, estimated from the last pages to hold `maxStep`
 * messages each. A round has at most this many times the pages of the last one, because the estimate may be wrong.
 */
const maxPagesGrowth = 8;
/** A range is cut where it holds more messages than this. */
const maxInRange = 1500;
/** At most this many times the messages of the last page are expected to follow. */
const maxExtrapolation = 32;
/**
 * The oldest messages fetched may be older than the newest that are wanted. At most this share of the maximum is fetched for
 * them, but at least `firstStep` in each set.
 */
const oldestShare = 0.1;

/** Collects the unread messages of one ordered set: first the oldest few, then from the newest downwards on demand. */
class UnreadRun {
  readonly found: MessageSummary[] = [];
  /** Everything from this ID on has been examined, or is not wanted. */
  frontier: number;
  /** Everything below this ID has been examined. */
  from: number;
  private readonly reader: Reader;
  private readonly marks: ReadMarks;
  private readonly read: ReadRun;
  /** Every message above this ID is unread, unless the reader sent it. */
  private readonly newestRead: number;
  /** How many of `found` came from `fetchOldest`. */
  private oldest = 0;
  /** Whether `frontier` is near the newest message. Otherwise the newest ID is unknown, and density says nothing. */
  private knowsNewest: boolean;
  /** The size of the last page. */
  private limit = 0;
  /** How many pages the last round had. */
  private pages = 1;
  /** Messages for each ID in what was fetched last; 0 at first. */
  private density = 0;

  constructor(
    reader: Reader,
    marks: ReadMarks,
    read: ReadRun,
    { from, upTo, newestRead }: { from: number; upTo: number | undefined; newestRead: number },
  ) {
    this.frontier = (upTo ?? beyondAll) + 1;
    this.knowsNewest = upTo !== undefined;
    this.reader = reader;
    this.marks = marks;
    this.read = read;
    this.from = marks.nextNotRead(from);
    this.newestRead = newestRead;
  }

  /** How many were found between the newest and the frontier. */
  get foundFromNewest(): number {
    return this.found.length - (this.frontier > 0 ? this.oldest : 0);
  }

  /** Fetches the oldest few messages, or up to `maxOldest` if none of the set is marked as read. */
  async fetchOldest(maxOldest: number): Promise<void> {
    const { from } = this;
    const to = this.frontier - 1;
    const limit = this.newestRead < from ? maxOldest : firstStep;
    const messages = to < from ? [] : await this.read({ from, to, descending: false, limit });
    this.collect(messages);
    this.oldest = this.found.length;
    this.limit = Math.min(limit, maxStep);
    this.from = (messages.at(-1)?.id ?? from) + 1;
    this.density = messages.length / (this.from - (messages[0]?.id ?? from));
    if (messages.length < limit) this.frontier = 0;
  }

  /** Fetches the next older page, or up to `wanted` of them; skips stretches marked as read without fetching them. */
  async fetchOlder(wanted: number): Promise<void> {
    const { from, limit } = this;
    const to = this.marks.lastNotRead(this.frontier - 1);
    const estimated = this.estimateBelow(to);
    const pages = Math.min(wanted, this.pages * maxPagesGrowth, Math.ceil(estimated / maxStep));
    if (to >= from && pages > 1) return this.fetchOlderRanges(to, pages);
    this.pages = 1;
    this.limit = Math.min(maxStep, Math.max(limit * 4, estimated));
    const messages = to < from ? [] : await this.read({ from, to, descending: true, limit: this.limit });
    this.collect(messages);
    this.frontier = messages.length < this.limit ? 0 : (messages.at(-1)?.id ?? 0);
    this.density = messages.length / ((messages[0]?.id ?? to) - this.frontier + 1);
    this.knowsNewest = true;
  }

  /** How many messages there probably are up to `to`; before a full page, only unread ones count, which are wanted anyway. */
  private estimateBelow(to: number): number {
    const { limit, from } = this;
    if (!this.knowsNewest || limit <= firstStep) return 0;
    const start = limit === maxStep ? from : Math.max(from, this.newestRead + 1);
    return Math.min(limit * maxExtrapolation * this.pages, Math.ceil(this.density * (to - start + 1)));
  }

  /** Fetches neighbouring ranges of IDs side by side, each so wide that it holds about `maxStep` messages. */
  private async fetchOlderRanges(to: number, count: number): Promise<void> {
    const width = Math.ceil(maxStep / this.density);
    const ranges: RangeQuery[] = [];
    let end = to;
    while (ranges.length < count && end >= this.from) {
      const start = Math.max(this.from, end - width + 1);
      ranges.push({ from: start, to: end, descending: true, limit: maxInRange });
      end = this.marks.lastNotRead(start - 1);
    }
    const pages = await Promise.all(ranges.map((range) => this.read(range)));
    const cut = pages.findIndex((page) => page.length >= maxInRange);
    const whole = cut < 0 ? pages : pages.slice(0, cut + 1);
    for (const page of whole) this.collect(page);
    // What lies below a range that holds more is fetched again.
    const last = cut < 0 ? ranges.at(-1)?.from : pages[cut]?.at(-1)?.id;
    this.frontier = cut < 0 && end < this.from ? 0 : (last ?? 0);
    this.limit = maxStep;
    this.pages = cut < 0 ? ranges.length : 1;
    this.density = whole.flat().length / (to - (last ?? to) + 1);
  }

  private collect(messages: readonly MessageSummary[]): void {
    for (const message of messages) if (!isRead(this.reader, message, this.marks)) this.found.push(message);
  }
}

export interface NewestUnread {
  /** By ascending ID. */
  messages: MessageSummary[];
  /** Whether there are more. */
  isCut: boolean;
}

/** A search for the newest unread messages of several sets whose oldest messages have been fetched. */
export interface UnreadSearch {
  /** No message below this ID is unread; undefined when none is. */
  oldest: number | undefined;
  /**
   * Fetches the rest. It costs little more than the messages that it returns, however many are unread, and nothing for sets
   * that are marked as read.
   */
  newest(): Promise<NewestUnread>;
}

/** Searches for at most `maxMessages` unread messages up to `upTo`. */
export async function searchUnread(
  reader: Reader,
  marks: ReadMarks,
  starts: readonly { read: ReadRun; from: number }[],
  maxMessages: number,
  upTo?: number,
): Promise<UnreadSearch> {
  const newestRead = marks.lastRead(upTo ?? beyondAll);
  const runs = starts.map(({ read, from }) => new UnreadRun(reader, marks, read, { from, upTo, newestRead }));
  const share = Math.floor((maxMessages * oldestShare) / runs.length);
  await Promise.all(runs.map((run) => run.fetchOldest(Math.min(maxInRange, Math.max(firstStep, share)))));
  const possible = runs.flatMap(({ found, frontier, from }) => found[0]?.id ?? (frontier > from ? from : []));
  return {
    oldest: possible.length > 0 ? Math.min(...possible) : undefined,
    newest: () => newestOf(runs, maxMessages),
  };
}

async function newestOf(runs: readonly UnreadRun[], maxMessages: number): Promise<NewestUnread> {
  for (;;) {
    const cutoff = cutoffId(runs, maxMessages);
    const unfinished = runs.filter(({ frontier }) => frontier > cutoff);
    if (unfinished.length === 0) break;
    const missing = maxMessages - runs.reduce((sum, { foundFromNewest }) => sum + foundFromNewest, 0);
    // Pages may hold more messages than estimated.
    const pages = ((missing / maxStep) * 0.9) / unfinished.length;
    await Promise.all(unfinished.map((run) => run.fetchOlder(Math.floor(pages))));
  }
  const messages = runs.flatMap(({ found }) => found).sort((a, b) => a.id - b.id);
  return { messages: messages.slice(-maxMessages), isCut: messages.length > maxMessages };
}

/** The ID just below the newest `maxMessages` found so far; older messages need not be read. 0 while there are fewer. */
function cutoffId(runs: readonly UnreadRun[], maxMessages: number): number {
  if (runs.reduce((sum, { found }) => sum + found.length, 0) <= maxMessages) return 0;
  const ids = Float64Array.from(runs.flatMap(({ found }) => found.map(({ id }) => id))).sort();
  return ids[ids.length - maxMessages - 1] ?? 0;
}
