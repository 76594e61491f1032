import type { Brief, RangeQuery } from "../store/messages.ts";
import type { ReadMarks } from "../store/read-state.ts";
import { isRead } from "./flags.ts";
import type { Reader } from "./reader.ts";

/** The messages of a run, such as a channel's, in either order. */
export type ReadRun = (query: RangeQuery) => Promise<Brief[]>;

/** Mostly all is read but a few, which one look at the oldest finds. */
const firstLook = 8;
const largestStep = 1000;

/** What is unread in one run: first the oldest few, then from the newest down, as far as it is asked to go. */
class UnreadRun {
  readonly found: Brief[] = [];
  /** From here on all has been looked at. */
  frontier = Number.MAX_SAFE_INTEGER;
  private readonly reader: Reader;
  private readonly marks: ReadMarks;
  private readonly read: ReadRun;
  private from: number;
  private limit = firstLook;

  constructor(reader: Reader, marks: ReadMarks, read: ReadRun, from: number) {
    this.reader = reader;
    this.marks = marks;
    this.read = read;
    this.from = marks.nextNotRead(from);
  }

  async lookAtOldest(): Promise<void> {
    const { from, limit } = this;
    const messages = await this.look({ from, to: Number.MAX_SAFE_INTEGER, descending: false, limit });
    this.from = (messages.at(-1)?.id ?? from) + 1;
    if (messages.length < limit) this.frontier = 0;
  }

  /** Steps over what is marked as read, which costs nothing; the steps grow. */
  async goDown(): Promise<void> {
    const { from } = this;
    const to = this.marks.lastNotRead(this.frontier - 1);
    this.limit = Math.min(largestStep, this.limit * 4);
    const messages = to < from ? [] : await this.look({ from, to, descending: true, limit: this.limit });
    this.frontier = messages.length < this.limit ? 0 : (messages.at(-1)?.id ?? 0);
  }

  private async look(query: RangeQuery): Promise<Brief[]> {
    const messages = await this.read(query);
    for (const message of messages) if (!isRead(this.reader, message, this.marks)) this.found.push(message);
    return messages;
  }
}

/**
 * The newest unread messages of some runs, at most `most` and by ascending ID, and whether there are more. However much is
 * unread in however many runs, hardly more is read than the messages that are returned.
 */
export async function newestUnread(
  reader: Reader,
  marks: ReadMarks,
  starts: readonly { read: ReadRun; from: number }[],
  most: number,
): Promise<{ messages: Brief[]; isCut: boolean }> {
  const runs = starts.map(({ read, from }) => new UnreadRun(reader, marks, read, from));
  await Promise.all(runs.map((run) => run.lookAtOldest()));
  for (;;) {
    const enough = idAt(runs, most);
    const unfinished = runs.filter(({ frontier }) => frontier > enough);
    if (unfinished.length === 0) break;
    await Promise.all(unfinished.map((run) => run.goDown()));
  }
  const messages = runs.flatMap(({ found }) => found).sort((a, b) => a.id - b.id);
  return { messages: messages.slice(-most), isCut: messages.length > most };
}

/** The ID behind the newest `most` that were found, by which one knows that there are more; 0 where there is none yet. */
function idAt(runs: readonly UnreadRun[], most: number): number {
  if (runs.reduce((sum, { found }) => sum + found.length, 0) <= most) return 0;
  const ids = Float64Array.from(runs.flatMap(({ found }) => found.map(({ id }) => id))).sort();
  return ids[ids.length - most - 1] ?? 0;
}
