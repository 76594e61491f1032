import type { MessageSummary, RangeQuery } from "../../store/messages/messages.ts";
import type { ReadMarks } from "../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { isRead } from "./flags.ts";

/** Reads a range of an ordered set of messages, for example of a channel. */
export type ReadSet = (query: RangeQuery) => Promise<MessageSummary[]>;

/** No message has so high an ID. */
const idAboveAll = Number.MAX_SAFE_INTEGER - 1;
/** Usually only a few messages are unread; the first small read finds them all. */
const firstStep = 8;
const maxStep = 1000;
/**
 * While many messages are unread, a round fetches several pages in parallel. Each is a range of IDs that holds about `maxStep`
 * messages, as estimated from the last pages. A round has at most this many times the pages of the last one, because the
 * estimate may be wrong.
 */
const maxPagesGrowth = 8;
/** If a range holds more messages than this, its older ones are fetched again in the next round. */
const maxInRange = 1500;
/** The estimate of how many older messages there are is at most this many times the size of the last page. */
const maxExtrapolation = 32;
/**
 * The oldest messages may turn out to be older than the newest `maxMessages`, which were asked for. So at most this share of
 * `maxMessages` is fetched of the oldest ones, but at least `firstStep` in each set.
 */
const oldestShare = 0.1;
/** The next pages may hold more messages than estimated: fewer are fetched than the estimate calls for. */
const pagesShare = 0.9;

/** Collects the unread messages of one ordered set: first the oldest few, then from the newest downwards on demand. */
class UnreadCollector {
  readonly found: MessageSummary[] = [];
  /** Everything from this ID on has been examined, or is above the range of the search. */
  frontier: number;
  /** Everything below this ID has been examined. */
  from: number;
  private readonly reader: Reader;
  private readonly marks: ReadMarks;
  private readonly read: ReadSet;
  /** Every message above this ID is unread, unless the reader sent it. */
  private readonly newestRead: number;
  /** How many of `found` came from `fetchOldest`. */
  private oldestCount = 0;
  /** Whether `frontier` is near the newest message. Otherwise the newest ID is unknown, and `density` gives no estimate. */
  private knowsNewest: boolean;
  private pageSize = 0;
  /** How many pages the last round had. */
  private pageCount = 1;
  /** The share of IDs that belong to the set, in the range that was fetched last. */
  private density = 0;

  constructor(
    reader: Reader,
    marks: ReadMarks,
    read: ReadSet,
    { from, upTo, newestRead }: { from: number; upTo: number | undefined; newestRead: number },
  ) {
    this.frontier = (upTo ?? idAboveAll) + 1;
    this.knowsNewest = upTo !== undefined;
    this.reader = reader;
    this.marks = marks;
    this.read = read;
    this.from = marks.nextNotRead(from);
    this.newestRead = newestRead;
  }

  /** How many unread messages were found from the newest down to the frontier. */
  get foundFromNewest(): number {
    return this.found.length - (this.frontier > 0 ? this.oldestCount : 0);
  }

  /** Fetches the oldest few messages, or up to `maxOldest` if the reader has marked none of the set as read. */
  async fetchOldest(maxOldest: number): Promise<void> {
    const { from } = this;
    const to = this.frontier - 1;
    const limit = this.newestRead < from ? maxOldest : firstStep;
    const messages = to < from ? [] : await this.read({ from, to, descending: false, limit });
    this.collect(messages);
    this.oldestCount = this.found.length;
    this.pageSize = Math.min(limit, maxStep);
    this.from = (messages.at(-1)?.id ?? from) + 1;
    this.density = messages.length / (this.from - (messages[0]?.id ?? from));
    if (messages.length < limit) this.frontier = 0;
  }

  /** Fetches the next older page, or up to `maxPages` pages; skips ranges that are marked as read without fetching them. */
  async fetchOlder(maxPages: number): Promise<void> {
    const { from, pageSize } = this;
    const to = this.marks.lastNotRead(this.frontier - 1);
    const estimatedMessages = this.estimateBelow(to);
    const pages = Math.min(maxPages, this.pageCount * maxPagesGrowth, Math.ceil(estimatedMessages / maxStep));
    if (to >= from && pages > 1) return this.fetchOlderRanges(to, pages);
    this.pageCount = 1;
    this.pageSize = Math.min(maxStep, Math.max(pageSize * 4, estimatedMessages));
    const messages = to < from ? [] : await this.read({ from, to, descending: true, limit: this.pageSize });
    this.collect(messages);
    this.frontier = messages.length < this.pageSize ? 0 : (messages.at(-1)?.id ?? 0);
    this.density = messages.length / ((messages[0]?.id ?? to) - this.frontier + 1);
    this.knowsNewest = true;
  }

  /**
   * Estimates how many messages there are up to `to`. Until a page of `maxStep` messages has been fetched, counts only the
   * range in which all messages are unread.
   */
  private estimateBelow(to: number): number {
    const { pageSize, from } = this;
    if (!this.knowsNewest || pageSize <= firstStep) return 0;
    const start = pageSize === maxStep ? from : Math.max(from, this.newestRead + 1);
    return Math.min(pageSize * maxExtrapolation * this.pageCount, Math.ceil(this.density * (to - start + 1)));
  }

  /** Fetches neighbouring ranges of IDs in parallel, each so wide that it holds about `maxStep` messages. */
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
    const cutIndex = pages.findIndex((page) => page.length >= maxInRange);
    const usedPages = cutIndex < 0 ? pages : pages.slice(0, cutIndex + 1);
    for (const page of usedPages) this.collect(page);
    // Everything below a range that holds more than `maxInRange` is fetched again in the next round.
    const lowestId = cutIndex < 0 ? ranges.at(-1)?.from : pages[cutIndex]?.at(-1)?.id;
    this.frontier = cutIndex < 0 && end < this.from ? 0 : (lowestId ?? 0);
    this.pageSize = maxStep;
    this.pageCount = cutIndex < 0 ? ranges.length : 1;
    this.density = usedPages.flat().length / (to - (lowestId ?? to) + 1);
  }

  private collect(messages: readonly MessageSummary[]): void {
    for (const message of messages) if (!isRead(this.reader, message, this.marks)) this.found.push(message);
  }
}

export interface NewestUnread {
  /** By ascending ID. */
  messages: MessageSummary[];
  /** Whether there are older unread messages, too. */
  isCut: boolean;
}

/** A search for the newest unread messages of several sets whose oldest messages have been fetched. */
export interface UnreadSearch {
  /** No message below this ID is unread; undefined when none is. */
  oldest: number | undefined;
  /**
   * Fetches the newest unread messages. Costs little more than the reads of the returned messages, however many are unread, and
   * nothing for sets that are marked as read.
   */
  newest(): Promise<NewestUnread>;
}

/** Searches several sets, each from an ID on, for the newest `maxMessages` unread messages up to `upTo`. */
export async function searchUnread(
  reader: Reader,
  marks: ReadMarks,
  sets: readonly { read: ReadSet; from: number }[],
  maxMessages: number,
  upTo?: number,
): Promise<UnreadSearch> {
  const newestRead = marks.lastRead(upTo ?? idAboveAll);
  const collectors = sets.map(({ read, from }) => new UnreadCollector(reader, marks, read, { from, upTo, newestRead }));
  const oldestPerSet = Math.floor((maxMessages * oldestShare) / collectors.length);
  await Promise.all(
    collectors.map((collector) => collector.fetchOldest(Math.min(maxInRange, Math.max(firstStep, oldestPerSet)))),
  );
  const lowestIds = collectors.flatMap(({ found, frontier, from }) => found[0]?.id ?? (frontier > from ? from : []));
  return {
    oldest: lowestIds.length > 0 ? Math.min(...lowestIds) : undefined,
    newest: () => newestOf(collectors, maxMessages),
  };
}

async function newestOf(collectors: readonly UnreadCollector[], maxMessages: number): Promise<NewestUnread> {
  for (;;) {
    const cutoff = cutoffId(collectors, maxMessages);
    const unfinished = collectors.filter(({ frontier }) => frontier > cutoff);
    if (unfinished.length === 0) break;
    const missing = maxMessages - collectors.reduce((sum, { foundFromNewest }) => sum + foundFromNewest, 0);
    const maxPages = ((missing / maxStep) * pagesShare) / unfinished.length;
    await Promise.all(unfinished.map((collector) => collector.fetchOlder(Math.floor(maxPages))));
  }
  const messages = collectors.flatMap(({ found }) => found).sort((a, b) => a.id - b.id);
  return { messages: messages.slice(-maxMessages), isCut: messages.length > maxMessages };
}

/** The ID just below the newest `maxMessages` found so far: older messages need not be read. 0 while fewer have been found. */
function cutoffId(collectors: readonly UnreadCollector[], maxMessages: number): number {
  if (collectors.reduce((sum, { found }) => sum + found.length, 0) <= maxMessages) return 0;
  const ids = Float64Array.from(collectors.flatMap(({ found }) => found.map(({ id }) => id))).sort();
  return ids[ids.length - maxMessages - 1] ?? 0;
}
