import type { RangeQuery } from "../../../store/messages/messages.ts";
import type { Source, SourceEntry } from "./sources.ts";

/** A source from which more can be read. */
interface Cursor {
  source: Source;
  /** The ID of the last entry that was read; undefined before the first read, and once there are no more. */
  lastId?: number | undefined;
}

/** From how many sources more is read at once: from more of them, more would be read in vain; from fewer, in more stages. */
const maxSourcesAtOnce = 5;

/**
 * Merges sources: returns the first `limit` entries in order, without duplicates. A fair share of entries is read from all
 * sources in parallel, and then, as often as needed, a fair share of what is missing from the sources whose share is used up
 * first. So many quiet channels and a few busy ones cost little more than the busy ones alone, and take few stages.
 */
export async function readMerged(sources: readonly Source[], query: RangeQuery): Promise<SourceEntry[]> {
  const { descending, limit } = query;
  if (limit <= 0 || query.from > query.to) return [];
  const compare = (a: number, b: number) => (descending ? b - a : a - b);
  let merged: SourceEntry[] = [];
  const read = async (cursors: readonly Cursor[], share: number) => {
    const entries = (await Promise.all(cursors.map((cursor) => readChunk(cursor, query, share)))).flat();
    // Two sources may contain the same message.
    merged = [...merged, ...entries]
      .sort((a, b) => compare(a.id, b.id))
      .filter(({ id }, index, sorted) => id !== sorted[index - 1]?.id)
      .slice(0, limit);
  };
  const cursors = sources.map((source): Cursor => ({ source }));
  await read(cursors, shareOf(2 * limit, sources.length, limit));
  for (;;) {
    const end = merged.length < limit ? undefined : merged.at(-1)?.id;
    // What follows the last entry of a source may come before the last of the merged ones.
    const unread = cursors
      .flatMap((cursor) => (cursor.lastId === undefined ? [] : { cursor, lastId: cursor.lastId }))
      .filter(({ lastId }) => end === undefined || compare(lastId, end) < 0)
      .sort((a, b) => compare(a.lastId, b.lastId))
      .slice(0, maxSourcesAtOnce);
    const [next] = unread;
    if (!next) return merged;
    const missing = limit - merged.filter(({ id }) => compare(id, next.lastId) <= 0).length;
    await read(
      unread.map(({ cursor }) => cursor),
      shareOf(missing, unread.length, missing),
    );
  }
}

/** How many of some entries are read from each of some sources. */
const shareOf = (entries: number, sources: number, max: number) =>
  Math.min(max, Math.max(2, Math.ceil(entries / sources)));

/** Reads up to `count` further entries of a source. */
async function readChunk(cursor: Cursor, query: RangeQuery, count: number): Promise<SourceEntry[]> {
  const { from, to, descending } = query;
  const { source, lastId } = cursor;
  const start = lastId === undefined ? {} : descending ? { to: lastId - 1 } : { from: lastId + 1 };
  const range = { from, to, ...start };
  const entries = range.from > range.to ? [] : await source({ ...range, descending, limit: count });
  cursor.lastId = entries.length < count ? undefined : entries.at(-1)?.id;
  return entries;
}
