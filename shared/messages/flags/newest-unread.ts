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
/** Pages that are read side by side while many are unread; so many hold the longest list. */
const maxPagesAtOnce = 50;
/** Such a page is a range of IDs, estimated to hold `maxStep` messages. It is cut where it holds more than this. */
const maxInRange = 1500;
/** From one page it is concluded how many messages follow, up to so many times its own. */
const maxExtrapolation = 32;
/** The oldest messages may turn out to lie below the newest that are wanted: they are at most this share of them. */
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
  /** How many of those found are the oldest few. */
  private oldest = 0;
  /** Whether `frontier` is near the newest messages, or among them; otherwise there is no saying where they end. */
  private hasEnd: boolean;
  /** The size of the last page. */
  private limit = 0;
  /** Messages for each ID, in the last page; 0 before the first. */
  private density = 0;

  constructor(
    reader: Reader,
    marks: ReadMarks,
    read: ReadRun,
    { from, upTo, newestRead }: { from: number; upTo: number | undefined; newestRead: number },
  ) {
    this.frontier = (upTo ?? beyondAll) + 1;
    this.hasEnd = upTo !== undefined;
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

  /** Reads the oldest few messages, or up to `most` if none of the set is marked as read. */
  async readOldest(most: number): Promise<void> {
    const { from } = this;
    const to = this.frontier - 1;
    const limit = this.newestRead < from ? most : firstStep;
    const messages = to < from ? [] : await this.read({ from, to, descending: false, limit });
    this.collect(messages);
    this.oldest = this.found.length;
    this.limit = Math.min(limit, maxStep);
    this.from = (messages.at(-1)?.id ?? from) + 1;
    this.density = messages.length / (this.from - (messages[0]?.id ?? from));
    if (messages.length < limit) this.frontier = 0;
  }

  /** Reads the next older page, or up to `maxPages` of them; skips stretches marked as read without reading them. */
  async readOlder(maxPages: number): Promise<void> {
    const { from, limit, density } = this;
    const to = this.marks.lastNotRead(this.frontier - 1);
    const unreadIds = this.hasEnd ? to - Math.max(from - 1, this.newestRead) : 0;
    const certainlyUnread = limit > firstStep ? Math.min(limit * maxExtrapolation, Math.ceil(density * unreadIds)) : 0;
    const isLong = this.hasEnd && limit === maxStep;
    const pages = isLong ? maxPages : Math.min(maxPages, Math.ceil(certainlyUnread / maxStep));
    if (to >= from && pages > 1) return this.readOlderRanges(to, pages);
    this.limit = Math.min(maxStep, Math.max(limit * 4, certainlyUnread));
    const messages = to < from ? [] : await this.read({ from, to, descending: true, limit: this.limit });
    this.collect(messages);
    this.frontier = messages.length < this.limit ? 0 : (messages.at(-1)?.id ?? 0);
    this.density = messages.length / ((messages[0]?.id ?? to) - this.frontier + 1);
    this.hasEnd = true;
  }

  /** Reads neighbouring ranges of IDs side by side, each so wide that it holds about `maxStep` messages. */
  private async readOlderRanges(to: number, count: number): Promise<void> {
    const width = Math.ceil(maxStep / this.density);
    const ranges: RangeQuery[] = [];
    let end = to;
    while (ranges.length < count && end >= this.from) {
      const start = Math.max(this.from, end - width + 1);
      ranges.push({ from: start, to: end, descending: true, limit: maxInRange });
      end = this.marks.lastNotRead(start - 1);
    }
    const pages = await Promise.all(ranges.map((range) => this.read(range)));
    this.limit = maxStep;
    this.frontier = end < this.from ? 0 : (ranges.at(-1)?.from ?? 0);
    for (const [index, page] of pages.entries()) {
      this.collect(page);
      const last = page.at(-1);
      if (!last || page.length < maxInRange) continue;
      // There is more in this range, and what lies below it is read again.
      this.frontier = last.id;
      this.density = page.length / ((ranges[index]?.to ?? to) - last.id + 1);
      return;
    }
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

/** A search for the newest unread messages of several sets whose oldest ones have been read. */
export interface UnreadSearch {
  /** No message below this ID is unread; undefined when none is. */
  oldest: number | undefined;
  /**
   * Reads the rest. It costs little more than the messages that it returns, however many are unread, and nothing for sets
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
  const most = Math.floor((maxMessages * oldestShare) / runs.length);
  await Promise.all(runs.map((run) => run.readOldest(Math.min(maxInRange, Math.max(firstStep, most)))));
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
    const pages = Math.min(maxPagesAtOnce, (missing / maxStep) * 0.9) / unfinished.length;
    await Promise.all(unfinished.map((run) => run.readOlder(Math.floor(pages))));
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
