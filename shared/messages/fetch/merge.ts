import type { RangeQuery } from "../../store/messages/messages.ts";
import type { Source, SourceEntry } from "./sources.ts";

/** A position in a source, with a buffer of entries that were read but not yet merged. */
interface Cursor {
  source: Source;
  buffer: SourceEntry[];
  /** Index of the first buffered entry that was not merged. */
  bufferIndex: number;
  /** The message ID at which the next read of the source starts. */
  nextId: number;
  /** How many entries the next read fetches. */
  chunkSize: number;
  isExhausted: boolean;
}

/** The factor by which each read of a source is larger than the last one. */
const chunkGrowth = 4;

/** A cursor's next entry; undefined when its buffer is used up. */
const headOf = ({ buffer, bufferIndex }: Cursor) => buffer[bufferIndex];

/**
 * Merges sources: returns the first `limit` entries in order, without duplicates. A fair share of entries is read from all
 * sources in parallel, and more only from a source whose share is used up, so that many quiet channels and a busy one cost
 * little more than the busy one alone. A heap of cursors makes each entry take O(log sources) time.
 */
export async function readMerged(sources: readonly Source[], query: RangeQuery): Promise<SourceEntry[]> {
  const { descending, limit } = query;
  if (limit <= 0 || query.from > query.to) return [];
  const fairShare =
    sources.length === 1 ? limit : Math.min(limit, Math.max(2, Math.ceil((2 * limit) / sources.length)));
  const cursors = sources.map(
    (source): Cursor => ({
      source,
      buffer: [],
      bufferIndex: 0,
      nextId: descending ? query.to : query.from,
      chunkSize: fairShare,
      isExhausted: false,
    }),
  );
  await Promise.all(cursors.map((cursor) => refill(cursor, query)));
  const heap = new CursorHeap(cursors.filter(headOf), descending);
  const merged: SourceEntry[] = [];
  for (let top = heap.top; top && merged.length < limit; top = heap.top) {
    const entry = headOf(top) as SourceEntry;
    // Two sources may contain the same message.
    if (entry.id !== merged.at(-1)?.id) merged.push(entry);
    top.bufferIndex++;
    if (merged.length < limit && !headOf(top)) await refill(top, query);
    heap.fixTop();
  }
  return merged;
}

async function refill(cursor: Cursor, { from, to, descending, limit }: RangeQuery) {
  if (cursor.isExhausted) return;
  const range = descending ? { from, to: cursor.nextId } : { from: cursor.nextId, to };
  cursor.buffer = range.from > range.to ? [] : await cursor.source({ ...range, descending, limit: cursor.chunkSize });
  cursor.bufferIndex = 0;
  cursor.isExhausted = cursor.buffer.length < cursor.chunkSize;
  const last = cursor.buffer.at(-1);
  if (last) cursor.nextId = descending ? last.id - 1 : last.id + 1;
  cursor.chunkSize = Math.min(limit, cursor.chunkSize * chunkGrowth);
}

/** A binary heap of cursors, ordered by their next entries; only the top cursor's entry ever changes. */
class CursorHeap {
  private readonly cursors: Cursor[];
  private readonly descending: boolean;

  constructor(cursors: Cursor[], descending: boolean) {
    this.cursors = cursors;
    this.descending = descending;
    for (let index = cursors.length >> 1; index >= 0; index--) this.siftDown(index);
  }

  get top() {
    return this.cursors[0];
  }

  /** Restores the heap after the top cursor advanced; removes it when it is exhausted. */
  fixTop() {
    const [top] = this.cursors;
    if (top && !headOf(top)) {
      const last = this.cursors.pop();
      if (last && last !== top) this.cursors[0] = last;
    }
    this.siftDown(0);
  }

  private siftDown(start: number) {
    for (let index = start; ; ) {
      const children = [2 * index + 1, 2 * index + 2].filter((child) => child < this.cursors.length);
      const first = children.reduce((best, child) => (this.precedes(child, best) ? child : best), index);
      if (first === index) return;
      [this.cursors[index], this.cursors[first]] = [this.cursors[first] as Cursor, this.cursors[index] as Cursor];
      index = first;
    }
  }

  private precedes(a: number, b: number): boolean {
    const [idA, idB] = [this.idAt(a), this.idAt(b)];
    return this.descending ? idA > idB : idA < idB;
  }

  private idAt(index: number) {
    const cursor = this.cursors[index];
    return (cursor && headOf(cursor)?.id) ?? 0;
  }
}
