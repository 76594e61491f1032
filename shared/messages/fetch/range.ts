import type { Source, SourceEntry } from "./sources.ts";

/** The sentinel that clients send and receive as the "newest" anchor. See https://zulip.com/api/get-messages. */
export const newestAnchor = 10_000_000_000_000_000;

/** Larger than every message ID, also as a sort key. */
const largestId = Number.MAX_SAFE_INTEGER;

export interface RangeRequest {
  anchor: number;
  includeAnchor: boolean;
  numBefore: number;
  numAfter: number;
}

export interface Range {
  /** Ascending by ID. */
  entries: SourceEntry[];
  foundAnchor: boolean;
  foundOldest: boolean;
  foundNewest: boolean;
}

/** Reads the messages around an anchor, and whether either end of the source was reached. */
export async function readRange(source: Source, request: RangeRequest): Promise<Range> {
  const anchor = Math.max(0, Math.min(request.anchor, newestAnchor));
  const atNewest = anchor === newestAnchor;
  const numBefore = anchor === 0 ? 0 : request.numBefore;
  const numAfter = atNewest ? 0 : request.numAfter;
  // The anchor itself is read with the older messages, in addition to them. The newest sentinel and 0 are not message IDs.
  const anchorCount = atNewest || anchor === 0 ? 0 : 1;
  const [older, newer] = await Promise.all([
    readIfNeeded(source, {
      from: 0,
      to: Math.min(anchor, largestId),
      descending: true,
      limit: numBefore + anchorCount,
    }),
    readIfNeeded(source, { from: anchor + 1, to: largestId, descending: false, limit: numAfter }),
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

const readIfNeeded: (source: Source, query: Parameters<Source>[0]) => Promise<SourceEntry[]> = async (source, query) =>
  query.limit > 0 ? source(query) : [];
