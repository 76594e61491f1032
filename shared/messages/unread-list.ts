import {
  type Brief,
  channelPartition,
  readDirectMessages,
  readPartitionBriefly,
  topicPartition,
} from "../store/messages.ts";
import { findUnreadFloors, listReadMarks, type ReadMarks, type UnreadFloors } from "../store/read-state.ts";
import type { Period } from "../store/subscriptions.ts";
import { floorsAsOf, unreadRanges } from "./moved-in.ts";
import { commonPeriods } from "./periods.ts";
import type { Reader } from "./reader.ts";
import { type Ascending, unreadFrom } from "./unread.ts";

/** Unread messages are listed up to so many. */
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
 * What the reader has received and not read. Beside 0.5 read units for each channel it costs what the unread messages
 * cost, not what the history costs: where all is read below a floor, nobody looks again.
 */
export async function listUnread(reader: Reader, scope: UnreadScope = {}): Promise<UnreadList> {
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
  const runs = await Promise.all([
    ...parts.map(({ channelId, periods }) =>
      collect(reader, marks, received(channelId, scope.topic, periods), periods[0]?.[0] ?? 0),
    ),
    ...(withDirect ? [collect(reader, marks, direct(userId), floors.direct)] : []),
  ]);
  const messages = runs.flat().sort((a, b) => a.id - b.id);
  return { messages: messages.slice(-mostUnread), isCut: messages.length > mostUnread, floors, asOf };
}

async function collect(reader: Reader, marks: ReadMarks, read: Ascending<Brief>, from: number): Promise<Brief[]> {
  const found: Brief[] = [];
  for await (const message of unreadFrom(reader, marks, read, from)) {
    found.push(message);
    // Of very many the newest count, but nobody reads so far back: the oldest are found first, and the list says so.
    if (found.length > mostUnread) break;
  }
  return found;
}

const received =
  (channelId: number, topic: string | undefined, periods: readonly Period[]): Ascending<Brief> =>
  async (start, limit) => {
    const found: Brief[] = [];
    for (const [from, to = Number.POSITIVE_INFINITY] of periods) {
      const query = {
        from: Math.max(start, from),
        to: Math.min(Number.MAX_SAFE_INTEGER, to - 1),
        descending: false,
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

const direct =
  (userId: number): Ascending<Brief> =>
  (from, limit) =>
    readDirectMessages(userId, { from, to: Number.MAX_SAFE_INTEGER, descending: false, limit });
