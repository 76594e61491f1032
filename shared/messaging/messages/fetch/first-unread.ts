import { intersectPeriods } from "../../../core/channels/periods.ts";
import type { Period } from "../../../store/channels/subscriptions.ts";
import type { MessageSummary } from "../../../store/messages/messages.ts";
import {
  findUnreadFloors,
  listNewestSegments,
  listReadMarksSince,
  type ReadMarks,
  type UnreadFloors,
} from "../../../store/messages/read-state.ts";
import { isRead } from "../flags/flags.ts";
import { isMuted, isTopicMuted, readTopicPolicies } from "../flags/muting.ts";
import { unreadRanges } from "../flags/unread-ranges.ts";
import type { Reader } from "../reader.ts";
import { matchesOnlyFlagged, matchingSource, type Narrow } from "./matching.ts";
import { newestAnchor } from "./range.ts";

/**
 * The ID of the oldest unread message of a narrow among those that the reader received, without muted ones; `newestAnchor` if
 * there is none. Ranges that are marked as read cost only the read of their marks. The newest marks are read in parallel with
 * the floors; older marks are needed only if a floor lies below the newest ones.
 */
export async function firstUnread(reader: Reader, narrow: Narrow): Promise<number> {
  const { caller } = reader;
  if (!caller) return newestAnchor;
  const [source, policies, floors, newestMarks] = await Promise.all([
    matchingSource(reader, narrow, true),
    readTopicPolicies(reader),
    findUnreadFloors(caller.id),
    listNewestSegments(caller.id),
  ]);
  const channel = narrow.terms.find(({ kind, negated }) => kind === "channel" && !negated);
  const channelId = channel?.kind === "channel" ? channel.id : undefined;
  const startsAtFloor = channelId !== undefined && !matchesOnlyFlagged(narrow.terms);
  const ranges = startsAtFloor ? rangesIn(reader, channelId, floors) : [allIds];
  const [lowest] = ranges;
  if (!lowest) return newestAnchor;
  const marks = await listReadMarksSince(caller.id, lowest[0], newestMarks);
  for (const [from, end = Number.MAX_SAFE_INTEGER] of ranges) {
    const read = async (start: number, limit: number) =>
      (await source({ from: start, to: end - 1, descending: false, limit })).flatMap(({ message }) => message ?? []);
    for await (const message of unreadFrom(reader, marks, read, from)) {
      const isHidden = channelId === undefined ? isMuted(reader, message, policies) : isTopicMuted(message, policies);
      if (!isHidden) return message.id;
    }
  }
  return newestAnchor;
}

/** A period without an end. */
const allIds: Period = [0];

/** Where a channel may have unread messages: what `unreadRanges` returns, but not before the reader first subscribed. */
const rangesIn = (reader: Reader, channelId: number, floors: UnreadFloors): Period[] => {
  const start = reader.subscription(channelId)?.periods[0]?.[0] ?? 0;
  return intersectPeriods(unreadRanges(floors, channelId, reader.channel(channelId)), [[start]]);
};

const firstBatchMessages = 8;
const maxBatchMessages = 1000;

/**
 * Yields unread messages in ascending order. Skips ranges that are marked as read without fetching them, and fetches
 * the rest in batches of increasing size.
 */
async function* unreadFrom<M extends MessageSummary>(
  reader: Reader,
  marks: ReadMarks,
  read: (from: number, limit: number) => Promise<M[]>,
  from: number,
): AsyncGenerator<M> {
  let next = marks.nextNotRead(from);
  for (let limit = firstBatchMessages; ; limit = Math.min(maxBatchMessages, limit * 4)) {
    const messages = await read(next, limit);
    for (const message of messages) if (!isRead(reader, message, marks)) yield message;
    const last = messages.at(-1);
    if (!last || messages.length < limit) return;
    next = marks.nextNotRead(last.id + 1);
  }
}
