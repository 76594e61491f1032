import { ProcessCache } from "../../process-cache.ts";
import type { RangeQuery } from "../../store/messages/messages.ts";
import type { Source, SourceEntry } from "./sources.ts";

/** A source from which more can be read. */
interface Cursor {
  source: Source;
  /** The ID of the last entry that was read; undefined once there are no more. */
  lastId?: number | undefined;
  /** How many entries the next read fetches at most. */
  chunkSize: number;
  /** How many entries of the result are from this source. */
  count: number;
}

/** How many entries each source had in the page of the combined feed that a user read last. */
interface LastPage {
  limit: number;
  counts: number[];
}

/** By user ID, so that more is read at once from busy sources. Only a hint: it decides how many reads follow one another. */
const lastPages = new ProcessCache<number, LastPage>({ minRetained: 1000 });

/** The factor by which each read of a source is larger than the last one. */
const chunkGrowth = 4;

/**
 * Merges sources: returns the first `limit` entries in order, without duplicates. A fair share of entries is read from all
 * sources in parallel, and more only from a source whose share is used up, so that many quiet channels and a busy one cost
 * little more than the busy one alone. From sources of the combined feed of the user `feedOf`, as many are read at once as their
 * last page had, if these are more.
 */
export async function readMerged(
  sources: readonly Source[],
  query: RangeQuery,
  feedOf?: number,
): Promise<SourceEntry[]> {
  const { descending, limit } = query;
  if (limit <= 0 || query.from > query.to) return [];
  const fairShare =
    sources.length === 1 ? limit : Math.min(limit, Math.max(2, Math.ceil((2 * limit) / sources.length)));
  const last = feedOf === undefined ? undefined : lastPages.get(feedOf);
  const scale = last ? Math.min(1, limit / last.limit) : 0;
  const cursors = sources.map((source, index): Cursor => {
    // A tenth more allows for a source that got busier; another one shows that the page needs no more of this source.
    const expected = Math.ceil((last?.counts[index] ?? 0) * scale * 1.1) + 1;
    return { source, chunkSize: Math.min(limit, Math.max(fairShare, expected)), count: 0 };
  });
  const read = async (cursor: Cursor, missing: number) =>
    (await readChunk(cursor, query, missing)).map((entry) => ({ entry, cursor }));
  const pending = (await Promise.all(cursors.map((cursor) => read(cursor, limit)))).flat();
  const merged: SourceEntry[] = [];
  const compare = (a: number, b: number) => (descending ? b - a : a - b);
  for (;;) {
    const unread = cursors.flatMap((cursor) => (cursor.lastId === undefined ? [] : { cursor, lastId: cursor.lastId }));
    const [next] = unread.sort((a, b) => compare(a.lastId, b.lastId));
    pending.sort((a, b) => compare(a.entry.id, b.entry.id));
    // What comes after the nearest end of a chunk may be preceded by what follows that chunk.
    const uncertain = next ? pending.findIndex(({ entry }) => compare(entry.id, next.lastId) > 0) : -1;
    // Two sources may contain the same message.
    for (const { entry, cursor } of pending.splice(0, uncertain < 0 ? pending.length : uncertain)) {
      if (entry.id === merged.at(-1)?.id || merged.length === limit) continue;
      merged.push(entry);
      cursor.count++;
    }
    if (!next || merged.length >= limit) break;
    pending.push(...(await read(next.cursor, limit - merged.length)));
  }
  if (feedOf !== undefined) lastPages.set(feedOf, { limit, counts: cursors.map(({ count }) => count) });
  return merged;
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
