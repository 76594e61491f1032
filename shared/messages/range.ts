import type { Entry, Source } from "./sources.ts";

/** The anchor that stands for "newest", as clients and the reference write it. */
export const newestAnchor = 10_000_000_000_000_000;

/** Larger than every message's ID, and a key that sorts after them. */
const largestId = Number.MAX_SAFE_INTEGER;

export interface RangeRequest {
  anchor: number;
  includeAnchor: boolean;
  numBefore: number;
  numAfter: number;
}

export interface Range {
  /** Ascending by ID. */
  entries: Entry[];
  foundAnchor: boolean;
  foundOldest: boolean;
  foundNewest: boolean;
}

/** The messages around an anchor, with what is known of the ends (companion reference, E, Anchor). */
export async function readRange(source: Source, request: RangeRequest): Promise<Range> {
  const anchor = Math.max(0, Math.min(request.anchor, newestAnchor));
  const atNewest = anchor === newestAnchor;
  const numBefore = anchor === 0 ? 0 : request.numBefore;
  const numAfter = atNewest ? 0 : request.numAfter;
  // The anchor is read with the older side, as one row more; the newest sentinel and 0 are no messages.
  const anchorRow = atNewest || anchor === 0 ? 0 : 1;
  const [older, newer] = await Promise.all([
    read(source, { from: 0, to: Math.min(anchor, largestId), descending: true, limit: numBefore + anchorRow }),
    read(source, { from: anchor + 1, to: largestId, descending: false, limit: numAfter }),
  ]);
  const hasAnchor = older[0]?.id === anchor;
  const foundAnchor = hasAnchor && request.includeAnchor;
  const before = (hasAnchor ? older.slice(1) : older).slice(0, numBefore);
  return {
    entries: [...before.toReversed(), ...(foundAnchor ? older.slice(0, 1) : []), ...newer],
    foundAnchor,
    foundOldest: anchor === 0 || before.length < numBefore,
    foundNewest: atNewest || newer.length < numAfter,
  };
}

const read: (source: Source, query: Parameters<Source>[0]) => Promise<Entry[]> = async (source, query) =>
  query.limit > 0 ? source(query) : [];
