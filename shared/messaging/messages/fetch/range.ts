import { maxReplyBytes } from "../../../services/http/reply-size.ts";
import type { RangeQuery } from "../../../store/messages/messages.ts";
import { addHtmlBytes } from "./reply-window.ts";
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
  const [{ entries: older, isComplete: foundOldest }, { entries: newer, isComplete: foundNewest }] = await Promise.all([
    readInSteps(source, {
      from: 0,
      to: Math.min(anchor, largestId),
      descending: true,
      limit: numBefore + anchorCount,
    }),
    readInSteps(source, { from: anchor + 1, to: largestId, descending: false, limit: numAfter }),
  ]);
  const hasAnchor = older[0]?.id === anchor;
  const foundAnchor = hasAnchor && request.includeAnchor;
  const before = (hasAnchor ? older.slice(1) : older).slice(0, numBefore);
  return {
    entries: [...before.toReversed(), ...(foundAnchor ? older.slice(0, 1) : []), ...newer],
    foundAnchor,
    foundOldest: anchor === 0 || (foundOldest && before.length < numBefore),
    foundNewest: atNewest || (foundNewest && newer.length < numAfter),
  };
}

/** How many messages are read before their sizes are looked at, at first and later. */
const firstStep = 200;
const maxStep = 1000;

/**
 * Reads the first entries of a query, in steps: no more than a reply has room for, but at least one step. `isComplete` tells
 * that the source has no more.
 */
async function readInSteps(
  source: Source,
  query: RangeQuery,
): Promise<{ entries: SourceEntry[]; isComplete: boolean }> {
  const entries: SourceEntry[] = [];
  let { from, to } = query;
  let bytes = 0;
  for (let step = firstStep; entries.length < query.limit && bytes < maxReplyBytes; step = maxStep) {
    const limit = Math.min(step, query.limit - entries.length);
    const page = await source({ ...query, from, to, limit });
    entries.push(...page);
    const last = page.at(-1);
    if (!last || page.length < limit) return { entries, isComplete: true };
    bytes = addHtmlBytes(
      bytes,
      page.values().map(({ message }) => message),
    );
    if (query.descending) to = last.id - 1;
    else from = last.id + 1;
    if (from > to) return { entries, isComplete: entries.length < query.limit };
  }
  return { entries, isComplete: false };
}
