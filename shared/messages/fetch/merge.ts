import type { RangeQuery } from "../../store/messages/messages.ts";
import type { Source, SourceEntry } from "./sources.ts";

/** A source from which more can be read. */
interface Cursor {
  source: Source;
  /** The ID of the last entry that was read; undefined once there are no more. */
  lastId?: number | undefined;
  /** How many entries the next read fetches at most. */
  chunkSize: number;
}

/** The factor by which each read of a source is larger than the last one. */
const chunkGrowth = 4;

/**
 * Merges sources: returns the first `limit` entries in order, without duplicates. A fair share of entries is read from all
 * sources in parallel, and more only from a source whose share is used up, so that many quiet channels and a busy one cost
 * little more than the busy one alone.
 */
export async function readMerged(sources: readonly Source[], query: RangeQuery): Promise<SourceEntry[]> {
  const { descending, limit } = query;
  if (limit <= 0 || query.from > query.to) return [];
  const fairShare =
    sources.length === 1 ? limit : Math.min(limit, Math.max(2, Math.ceil((2 * limit) / sources.length)));
  const cursors = sources.map((source): Cursor => ({ source, chunkSize: fairShare }));
  const pending = (await Promise.all(cursors.map((cursor) => readChunk(cursor, query, limit)))).flat();
  const merged: SourceEntry[] = [];
  const compare = (a: number, b: number) => (descending ? b - a : a - b);
  for (;;) {
    const unread = cursors.flatMap((cursor) => (cursor.lastId === undefined ? [] : { cursor, lastId: cursor.lastId }));
    const [next] = unread.sort((a, b) => compare(a.lastId, b.lastId));
    pending.sort((a, b) => compare(a.id, b.id));
    // What comes after the nearest end of a chunk may be preceded by what follows that chunk.
    const uncertain = next ? pending.findIndex(({ id }) => compare(id, next.lastId) > 0) : -1;
    // Two sources may contain the same message.
    for (const entry of pending.splice(0, uncertain < 0 ? pending.length : uncertain))
      if (entry.id !== merged.at(-1)?.id) merged.push(entry);
    if (!next || merged.length >= limit) return merged.slice(0, limit);
    pending.push(...(await readChunk(next.cursor, query, limit - merged.length)));
  }
}

/** Reads the next entries of a source, of which no more than `missing` are needed. */
async function readChunk(cursor: Cursor, query: RangeQuery, missing: number): Promise<SourceEntry[]> {
  const { from, to, descending, limit } = query;
  const { source, lastId } = cursor;
  const chunkSize = Math.min(cursor.chunkSize, missing);
  const start = lastId === undefined ? {} : descending ? { to: lastId - 1 } : { from: lastId + 1 };
  const range = { from, to, ...start };
  const entries = range.from > range.to ? [] : await source({ ...range, descending, limit: chunkSize });
  cursor.lastId = entries.length < chunkSize ? undefined : entries.at(-1)?.id;
  cursor.chunkSize = Math.min(limit, cursor.chunkSize * chunkGrowth);
  return entries;
}
