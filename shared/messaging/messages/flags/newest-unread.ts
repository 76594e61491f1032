import type { MessageSummary, RangeQuery } from "../../../store/messages/messages.ts";
import type { ReadMarks } from "../../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { isRead } from "./flags.ts";

/** Reads a range of an ordered set of messages, for example of a channel. */
export type ReadSet = (query: RangeQuery) => Promise<MessageSummary[]>;

/** No message has so high an ID. */
const idAboveAll = Number.MAX_SAFE_INTEGER - 1;
/** Usually only a few messages are unread; the first small page finds them all. */
const firstPage = 8;
const maxPage = 1000;
/** After a full page, the next round reads this many ranges of IDs in parallel, each as wide as that page. */
const parallelRanges = 16;

/** A range of IDs that has not been read yet; its next page has at most `limit` messages. */
interface Unexamined {
  from: number;
  to: number;
  limit: number;
}

/**
 * Collects the unread messages of one ordered set: first the oldest few, then from the newest downwards on demand. One page
 * after another would do for most people, but 50,000 unread messages would take 52 reads in a row. A full page shows how wide a
 * range of IDs is that holds so many messages, and therefore the next round reads many such ranges in parallel: 6 rounds, in
 * an organization of 1,000 people as of 10,000, and 3 instead of 5 for the 5,000 messages of 50 people.
 */
class UnreadCollector {
  found: MessageSummary[] = [];
  /** The newest first. No other message can be unread. */
  private unexamined: Unexamined[] = [];
  private readonly reader: Reader;
  private readonly marks: ReadMarks;
  private readonly read: ReadSet;
  /** Whether no other set is searched, whose newer messages might be enough. */
  private readonly isOnly: boolean;

  constructor(reader: Reader, marks: ReadMarks, read: ReadSet, isOnly: boolean) {
    this.reader = reader;
    this.marks = marks;
    this.read = read;
    this.isOnly = isOnly;
  }

  /** Everything above this ID has been examined. */
  get frontier(): number {
    return this.unexamined[0]?.to ?? 0;
  }

  /** How many unread messages were found above the frontier. */
  get foundFromNewest(): number {
    const { frontier } = this;
    return this.found.filter(({ id }) => id > frontier).length;
  }

  /**
   * Fetches the oldest few messages of a range, or up to `maxOldest` if the reader has read none; returns an ID below which
   * nothing is unread, if anything may be unread. Every message above `newestRead` is unread, unless the reader sent it.
   */
  async fetchOldest(start: number, to: number, maxOldest: number, newestRead: number): Promise<number | undefined> {
    const from = this.marks.nextNotRead(start);
    const limit = newestRead < from ? maxOldest : firstPage;
    const messages = to < from ? [] : await this.read({ from, to, descending: false, limit });
    this.collect(messages);
    const last = messages.at(-1);
    if (!last || messages.length < limit) return this.found[0]?.id;
    const rest = last.id + 1;
    const newest = this.marks.lastNotRead(Math.min(to, newestRead));
    // Where nothing is marked as read, every message will be needed, so that small pages would save nothing.
    const isAllUnread = this.isOnly && this.marks.lastRead(newest) < rest;
    this.unexamined = [
      { from: Math.max(rest, newestRead + 1), to, limit: maxPage },
      { from: rest, to: newest, limit: isAllUnread ? maxPage : firstPage * 4 },
    ].filter((range) => range.from <= range.to);
    return this.found[0]?.id ?? rest;
  }

  /** Reads the next page of each of the newest ranges that reach above `cutoff`. */
  async fetchOlder(cutoff: number, maxRanges: number): Promise<void> {
    const count = this.unexamined.slice(0, maxRanges).filter(({ to }) => to > cutoff).length;
    const ranges = this.unexamined.splice(0, count);
    const pages = await Promise.all(
      ranges.map(({ from, to, limit }) => {
        const newest = this.marks.lastNotRead(to);
        return newest < from ? [] : this.read({ from, to: newest, descending: true, limit });
      }),
    );
    for (const page of pages) this.collect(page);
    this.unexamined.unshift(...ranges.flatMap((range, index) => this.restOf(range, pages[index] ?? [])));
  }

  /** What a page has left of its range, in several ranges if there may be many messages. */
  private restOf({ from, limit }: Unexamined, page: readonly MessageSummary[]): Unexamined[] {
    const [first, last] = [page[0], page.at(-1)];
    if (!first || !last || page.length < limit) return [];
    const rest: Unexamined[] = [];
    const width = first.id - last.id + 1;
    let to = this.marks.lastNotRead(last.id - 1);
    while (limit === maxPage && rest.length < parallelRanges - 1 && to - width >= from) {
      rest.push({ from: to - width + 1, to, limit });
      to = this.marks.lastNotRead(to - width);
    }
    if (to >= from) rest.push({ from, to, limit: Math.min(maxPage, limit * 4) });
    return rest;
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
   * Fetches the newest unread messages; each further call those that are next older. Costs little more than the reads of the
   * returned messages, however many are unread, and nothing for sets that are marked as read.
   */
  newest(): Promise<NewestUnread>;
}

/** Searches several sets, each from an ID on, for the newest `maxMessages` unread messages up to `upTo`. */
export async function searchUnread(
  reader: Reader,
  marks: ReadMarks,
  sets: readonly { read: ReadSet; from: number }[],
  maxMessages: number,
  upTo = idAboveAll,
): Promise<UnreadSearch> {
  const newestRead = marks.lastRead(upTo);
  const collectors = sets.map(({ read }) => new UnreadCollector(reader, marks, read, sets.length === 1));
  // The oldest messages may be older than the newest `maxMessages`: at most a tenth as many are read of them.
  const oldestPerSet = Math.min(maxPage, Math.max(firstPage, Math.floor(maxMessages / 10 / collectors.length)));
  const oldest = await Promise.all(
    sets.map(({ from }, index) => collectors[index]?.fetchOldest(from, upTo, oldestPerSet, newestRead)),
  );
  const known = oldest.flatMap((id) => id ?? []);
  return {
    oldest: known.length > 0 ? Math.min(...known) : undefined,
    newest: () => newestOf(collectors, maxMessages),
  };
}

async function newestOf(collectors: readonly UnreadCollector[], maxMessages: number): Promise<NewestUnread> {
  for (;;) {
    const cutoff = cutoffId(collectors, maxMessages);
    const unfinished = collectors.filter(({ frontier }) => frontier > cutoff);
    if (unfinished.length === 0) break;
    const missing = maxMessages - collectors.reduce((sum, { foundFromNewest }) => sum + foundFromNewest, 0);
    const maxRanges = Math.floor(missing / maxPage / unfinished.length);
    await Promise.all(unfinished.map((collector) => collector.fetchOlder(cutoff, Math.max(2, maxRanges))));
  }
  const found = collectors.flatMap((collector) => collector.found).sort((a, b) => a.id - b.id);
  const messages = found.slice(-maxMessages);
  const oldest = messages[0]?.id ?? 0;
  for (const collector of collectors) collector.found = collector.found.filter(({ id }) => id < oldest);
  return { messages, isCut: found.length > maxMessages };
}

/** The ID just below the newest `maxMessages` found so far: older messages need not be read. 0 while fewer have been found. */
function cutoffId(collectors: readonly UnreadCollector[], maxMessages: number): number {
  if (collectors.reduce((sum, { found }) => sum + found.length, 0) <= maxMessages) return 0;
  const ids = Float64Array.from(collectors.flatMap(({ found }) => found.map(({ id }) => id))).sort();
  return ids[ids.length - maxMessages - 1] ?? 0;
}
