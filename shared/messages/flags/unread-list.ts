import { intersectPeriods } from "../../channels/periods.ts";
import type { Period } from "../../store/channels/subscriptions.ts";
import {
  channelPartition,
  type MessageSummary,
  readDirectMessages,
  readPartitionSummaries,
  topicPartition,
} from "../../store/messages/messages.ts";
import { findUnreadFloors, listReadMarks, type UnreadFloors } from "../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { type NewestUnread, type ReadRun, searchUnread, type UnreadSearch } from "./newest-unread.ts";
import { floorsValidAsOf, unreadRanges } from "./unread-ranges.ts";

/** The newest unread messages are listed, up to this number. See `unread_msgs` in https://zulip.com/api/register-queue. */
export const maxUnread = 50_000;

export interface UnreadScope {
  channelId?: number | undefined;
  /** Within `channelId`. */
  topic?: string | undefined;
  /** Only direct messages. */
  direct?: boolean;
  /** Only messages up to this ID. */
  upTo?: number;
  /** Replaces the query of direct messages, if the calling code has fetched some already. */
  readDirect?: ReadRun;
}

/** The stored floors, from which new ones are computed. */
export interface FloorBasis {
  /** The floors from which the search started. */
  floors: UnreadFloors;
  /** UNIX milliseconds for which floors derived from what it finds are valid. */
  asOf: number;
}

/** The newest `maxMessages` messages that the reader received and has not read; see `startUnreadSearch`. */
export const listUnread = async (
  reader: Reader,
  scope: UnreadScope = {},
  maxMessages = maxUnread,
): Promise<NewestUnread> => (await startUnreadSearch(reader, scope, maxMessages)).newest();

/**
 * Searches for the newest `maxMessages` messages that the reader received and has not read. Costs 0.5 read units per channel,
 * and the reads of the listed messages; the history below the floors is not read.
 */
export async function startUnreadSearch(
  reader: Reader,
  scope: UnreadScope = {},
  maxMessages = maxUnread,
): Promise<UnreadSearch & FloorBasis> {
  const userId = reader.caller?.id ?? 0;
  const asOf = floorsValidAsOf(Date.now());
  const [floors, subscriptions] = await Promise.all([findUnreadFloors(userId), reader.readableSubscriptions()]);
  const wanted = scope.direct
    ? []
    : subscriptions.filter(({ channelId }) => scope.channelId === undefined || channelId === scope.channelId);
  const withDirect = scope.channelId === undefined;
  const probable = Math.min(
    ...wanted.map(({ channelId, periods }) => Math.max(floors.channels[channelId] ?? 0, periods[0]?.[0] ?? 0)),
    withDirect ? floors.direct : Number.MAX_SAFE_INTEGER,
  );
  const [marksFromThere] = await Promise.all([
    listReadMarks(userId, probable),
    reader.load(wanted.map(({ channelId }) => channelId)),
  ]);
  const parts = wanted.map(({ channelId, periods }) => ({
    channelId,
    periods: intersectPeriods(periods, unreadRanges(floors, channelId, reader.channel(channelId))),
  }));
  const starts = parts.flatMap(({ periods: [first] }) => first?.[0] ?? []);
  const first = Math.min(...starts, withDirect ? floors.direct : Number.POSITIVE_INFINITY);
  if (!Number.isFinite(first))
    return { oldest: undefined, newest: async () => ({ messages: [], isCut: false }), floors, asOf };
  const marks = first < probable ? await listReadMarks(userId, first) : marksFromThere;
  const runs = parts.map(({ channelId, periods }) => ({
    read: received(channelId, scope.topic, periods),
    from: periods[0]?.[0] ?? 0,
  }));
  const readDirect: ReadRun = scope.readDirect ?? ((query) => readDirectMessages(userId, query));
  const direct = { read: readDirect, from: floors.direct };
  return {
    ...(await searchUnread(reader, marks, withDirect ? [...runs, direct] : runs, maxMessages, scope.upTo)),
    floors,
    asOf,
  };
}

const received =
  (channelId: number, topic: string | undefined, periods: readonly Period[]): ReadRun =>
  async ({ from, to, descending, limit }) => {
    const found: MessageSummary[] = [];
    for (const [start, end = Number.MAX_SAFE_INTEGER] of descending ? periods.toReversed() : periods) {
      const query = {
        from: Math.max(from, start),
        to: Math.min(to, end - 1),
        descending,
        limit: limit - found.length,
      };
      if (query.limit <= 0 || query.from > query.to) continue;
      found.push(
        ...(topic === undefined
          ? await readPartitionSummaries("gsi1", channelPartition(channelId), query)
          : await readPartitionSummaries("gsi2", topicPartition(channelId, topic), query)),
      );
    }
    return found;
  };
