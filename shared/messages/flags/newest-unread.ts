import type { MessageSummary, RangeQuery } from "../../store/messages/messages.ts";
import type { ReadMarks } from "../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { isRead } from "./flags.ts";

/** Reads a range of an ordered set of messages, for example a channel. */
export type ReadRun = (query: RangeQuery) => Promise<MessageSummary[]>;

/** Usually only a few messages are unread; the first small read finds them all. */
const firstStep = 8;
const maxStep = 1000;
/** Pages that are read side by side while many are unread. */
const maxPagesAtOnce = 16;
/** Such a page is a range of IDs, estimated to hold `maxStep` messages. It is cut where it holds more than this. */
const maxInRange = 1500;

/** Collects the unread messages of one ordered set: first the oldest few, then from the newest downwards on demand. */
class UnreadRun {
  readonly found: MessageSummary[] = [];
  /** Everything from this ID on has been examined, or is not wanted. */
  frontier: number;
  private readonly reader: Reader;
  private readonly marks: ReadMarks;
  private readonly read: ReadRun;
  private from: number;
  private limit = firstStep;
  /** How many IDs the last page of `maxStep` messages spanned; 0 before the first. */
  private span = 0;

  constructor(reader: Reader, marks: ReadMarks, read: ReadRun, { from, upTo }: { from: number; upTo: number }) {
    this.frontier = upTo + 1;
    this.reader = reader;
    this.marks = marks;
    this.read = read;
    this.from = marks.nextNotRead(from);
  }

  async readOldest(): Promise<void> {
    const { from, limit } = this;
    const to = this.frontier - 1;
    const messages = to < from ? [] : await this.collectUnread({ from, to, descending: false, limit });
    this.from = (messages.at(-1)?.id ?? from) + 1;
    if (messages.length < limit) this.frontier = 0;
  }

  /** Reads the next older page, or up to `pages` of them; skips stretches marked as read without reading them. */
  async readOlder(pages: number): Promise<void> {
    const { from } = this;
    const to = this.marks.lastNotRead(this.frontier - 1);
    if (to >= from && this.span > 0 && pages > 1) return this.readOlderRanges(to, pages);
    this.limit = Math.min(maxStep, this.limit * 4);
    const messages = to < from ? [] : await this.collectUnread({ from, to, descending: true, limit: this.limit });
    this.frontier = messages.length < this.limit ? 0 : (messages.at(-1)?.id ?? 0);
    if (messages.length === maxStep) this.span = to - this.frontier + 1;
  }

  /** Reads neighbouring ranges of IDs side by side, each as wide as the last page was. */
  private async readOlderRanges(to: number, count: number): Promise<void> {
    const ranges: RangeQuery[] = [];
    let end = to;
    while (ranges.length < count && end >= this.from) {
      const start = Math.max(this.from, end - this.span + 1);
      ranges.push({ from: start, to: end, descending: true, limit: maxInRange });
      end = this.marks.lastNotRead(start - 1);
    }
    const pages = await Promise.all(ranges.map((range) => this.read(range)));
    this.frontier = end < this.from ? 0 : (ranges.at(-1)?.from ?? 0);
    for (const page of pages) {
      this.collect(page);
      const last = page.at(-1);
      if (!last || page.length < maxInRange) continue;
      // There is more in this range, and what lies below it is read again.
      this.frontier = last.id;
      this.span = 0;
      return;
    }
  }

  private async collectUnread(query: RangeQuery): Promise<MessageSummary[]> {
    const messages = await this.read(query);
    this.collect(messages);
    return messages;
  }

  private collect(messages: readonly MessageSummary[]): void {
    for (const message of messages) if (!isRead(this.reader, message, this.marks)) this.found.push(message);
  }
}

/**
 * The newest unread messages up to `upTo` of several sets, at most `maxMessages`, by ascending ID, and whether there are more.
 * Reads little more than the messages that it returns, however many are unread, and no set that is marked as read up to there.
 */
export async function listNewestUnread(
  reader: Reader,
  marks: ReadMarks,
  starts: readonly { read: ReadRun; from: number }[],
  maxMessages: number,
  upTo = Number.MAX_SAFE_INTEGER - 1,
): Promise<{ messages: MessageSummary[]; isCut: boolean }> {
  const runs = starts.map(({ read, from }) => new UnreadRun(reader, marks, read, { from, upTo }));
  await Promise.all(runs.map((run) => run.readOldest()));
  for (;;) {
    const cutoff = cutoffId(runs, maxMessages);
    const unfinished = runs.filter(({ frontier }) => frontier > cutoff);
    if (unfinished.length === 0) break;
    const missing = maxMessages - runs.reduce((sum, { found }) => sum + found.length, 0);
    const pages = Math.min(maxPagesAtOnce, Math.floor(missing / maxStep / unfinished.length));
    await Promise.all(unfinished.map((run) => run.readOlder(pages)));
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
