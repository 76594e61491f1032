import {
  type Brief,
  channelPartition,
  type RangeQuery,
  readDirectMessages,
  readPartitionBriefly,
  topicPartition,
} from "../store/messages.ts";
import { findUnreadFloors, listReadMarks, type UnreadFloors } from "../store/read-state.ts";
import type { Period } from "../store/subscriptions.ts";
import { floorsAsOf, unreadRanges } from "./moved-in.ts";
import { newestUnread, type ReadRun } from "./newest-unread.ts";
import { commonPeriods } from "./periods.ts";
import type { Reader } from "./reader.ts";

/** Unread messages are listed up to so many, the newest (companion reference, C). */
export const mostUnread = 50_000;

export interface UnreadScope {
  channelId?: number | undefined;
  /** Of that channel. */
  topic?: string | undefined;
  /** Only direct messages. */
  direct?: boolean;
}

export interface UnreadList {
  /** By ascending ID. */
  messages: Brief[];
  /** Whether there are more. */
  isCut: boolean;
  /** Where it began to look, as it was then. */
  floors: UnreadFloors;
  /** What floors that follow from the list are true as of. */
  asOf: number;
}

/**
 * What the reader has received and not read, the newest `most`. Beside 0.5 read units for each channel it costs what these
 * messages cost, not what the history costs: where all is read below a floor, nobody looks again.
 */
export async function listUnread(reader: Reader, scope: UnreadScope = {}, most = mostUnread): Promise<UnreadList> {
  const userId = reader.caller?.id ?? 0;
  const asOf = floorsAsOf(Date.now());
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
    reader.learn(wanted.map(({ channelId }) => channelId)),
  ]);
  const parts = wanted.map(({ channelId, periods }) => ({
    channelId,
    periods: commonPeriods(periods, unreadRanges(floors, channelId, reader.channel(channelId))),
  }));
  const starts = parts.flatMap(({ periods: [first] }) => first?.[0] ?? []);
  const first = Math.min(...starts, withDirect ? floors.direct : Number.POSITIVE_INFINITY);
  if (!Number.isFinite(first)) return { messages: [], isCut: false, floors, asOf };
  const marks = first < probable ? await listReadMarks(userId, first) : marksFromThere;
  const runs = parts.map(({ channelId, periods }) => ({
    read: received(channelId, scope.topic, periods),
    from: periods[0]?.[0] ?? 0,
  }));
  const direct = { read: (query: RangeQuery) => readDirectMessages(userId, query), from: floors.direct };
  return { ...(await newestUnread(reader, marks, withDirect ? [...runs, direct] : runs, most)), floors, asOf };
}

const received =
  (channelId: number, topic: string | undefined, periods: readonly Period[]): ReadRun =>
  async ({ from, to, descending, limit }) => {
    const found: Brief[] = [];
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
          ? await readPartitionBriefly("gsi1", channelPartition(channelId), query)
          : await readPartitionBriefly("gsi2", topicPartition(channelId, topic), query)),
      );
    }
    return found;
  };
