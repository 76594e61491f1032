import { type Message, type RangeQuery, readDirectMessageIds, readPartition } from "../store/messages.ts";
import type { Period } from "../store/subscriptions.ts";

/** One message of a result; those from an index of IDs alone get their message later. */
export interface Entry {
  id: number;
  message?: Message;
}

/** Reads one ordered run of messages: a channel, a topic, a conversation, all direct messages of a person. */
export type Source = (query: RangeQuery) => Promise<Entry[]>;

export const partitionSource =
  (index: "gsi1" | "gsi2", pk: string): Source =>
  async (query) =>
    (await readPartition(index, pk, query)).map((message) => ({ id: message.id, message }));

export const directMessagesSource =
  (userId: number): Source =>
  async (query) =>
    (await readDirectMessageIds(userId, query)).map((id) => ({ id }));

/** The part of a source that lies in some periods `[from, to)`. */
export const within =
  (periods: readonly Period[], source: Source): Source =>
  async (query) => {
    const ordered = query.descending ? periods.toReversed() : periods;
    const entries: Entry[] = [];
    for (const [start, end = Number.POSITIVE_INFINITY] of ordered) {
      const from = Math.max(query.from, start);
      const to = Math.min(query.to, end - 1);
      const limit = query.limit - entries.length;
      if (limit > 0 && from <= to) entries.push(...(await source({ ...query, from, to, limit })));
    }
    return entries;
  };

/** A source that has been read from `next` on, and what of it was read but not taken. */
interface Cursor {
  source: Source;
  buffer: Entry[];
  next: number;
  chunk: number;
  ended: boolean;
}

/**
 * The first `limit` entries of all sources together, in order. Each source is first asked for its fair share, all of
 * them in parallel, and for more only when that was used up: a feed of many quiet channels and one busy one costs
 * little more than the busy one alone.
 */
export async function readMerged(sources: readonly Source[], query: RangeQuery): Promise<Entry[]> {
  const { descending, limit } = query;
  const share = sources.length === 1 ? limit : Math.min(limit, Math.max(2, Math.ceil((2 * limit) / sources.length)));
  const cursors = sources.map(
    (source): Cursor => ({
      source,
      buffer: [],
      next: descending ? query.to : query.from,
      chunk: share,
      ended: limit === 0,
    }),
  );
  const merged: Entry[] = [];
  let last: number | undefined;
  while (merged.length < limit) {
    await Promise.all(cursors.map((cursor) => refill(cursor, query)));
    const first = cursors
      .filter(({ buffer }) => buffer.length > 0)
      .reduce<Cursor | undefined>(
        (best, cursor) => (best && precedes(best, cursor, descending) ? best : cursor),
        undefined,
      );
    const entry = first?.buffer.shift();
    if (!entry) break;
    // Two sources may hold the same message.
    if (entry.id !== last) merged.push(entry);
    last = entry.id;
  }
  return merged;
}

const precedes = (a: Cursor, b: Cursor, descending: boolean) =>
  descending ? (a.buffer[0]?.id ?? 0) >= (b.buffer[0]?.id ?? 0) : (a.buffer[0]?.id ?? 0) <= (b.buffer[0]?.id ?? 0);

async function refill(cursor: Cursor, { from, to, descending, limit }: RangeQuery) {
  if (cursor.ended || cursor.buffer.length > 0) return;
  const range = descending ? { from, to: cursor.next } : { from: cursor.next, to };
  cursor.buffer = await cursor.source({ ...range, descending, limit: cursor.chunk });
  cursor.ended = cursor.buffer.length < cursor.chunk;
  const last = cursor.buffer.at(-1);
  if (last) cursor.next = descending ? last.id - 1 : last.id + 1;
  cursor.chunk = Math.min(limit, cursor.chunk * 4);
}
