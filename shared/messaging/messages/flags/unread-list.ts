import { intersectPeriods } from "../../../core/channels/periods.ts";
import type { Period, Subscription } from "../../../store/channels/subscriptions.ts";
import {
  channelPartition,
  findMessages,
  type MessageSummary,
  readDirectMessages,
  readPartitionSummaries,
  topicPartition,
} from "../../../store/messages/messages.ts";
import { findUnreadFloors, listReadMarks, type UnreadFloors } from "../../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { type NewestUnread, type ReadSet, searchUnread, type UnreadSearch } from "./newest-unread.ts";
import { floorsValidAsOf, unreadRanges } from "./unread-ranges.ts";

/** The newest unread messages are listed, up to this number. See `unread_msgs` in https://zulip.com/api/register-queue. */
export const maxUnread = 50_000;

interface UnreadScope {
  channelId?: number | undefined;
  /** A topic of the channel `channelId`. */
  topic?: string | undefined;
  direct?: boolean;
  /** Only messages up to this ID. */
  upTo?: number;
  /** Replaces the query for direct messages, if the calling code has read some already. */
  readDirect?: ReadSet;
}

/** What new floors are computed from, besides the unread messages that a search finds. */
export interface FloorBasis {
  floors: UnreadFloors;
  /** UNIX milliseconds up to which the search has taken all moves into account. */
  asOf: number;
}

/** The newest `maxMessages` messages that the reader received and has not read; see `startUnreadSearch`. */
export const listUnread = async (reader: Reader, scope: UnreadScope, maxMessages = maxUnread): Promise<NewestUnread> =>
  (await startUnreadSearch(reader, scope, maxMessages)).newest();

/**
 * Searches for the newest `maxMessages` messages that the reader received and has not read. Costs 0.5 read units per channel,
 * and the reads of the listed messages; the history below the floors is not read.
 */
export async function startUnreadSearch(
  reader: Reader,
  scope: UnreadScope,
  maxMessages = maxUnread,
): Promise<UnreadSearch & FloorBasis> {
  const userId = reader.caller?.id ?? 0;
  const asOf = floorsValidAsOf(Date.now());
  const [floors, subscriptions] = await Promise.all([findUnreadFloors(userId), reader.subscriptions()]);
  const subscribed = scope.direct
    ? []
    : subscriptions.filter(
        ({ active, channelId }) => active && (scope.channelId === undefined || channelId === scope.channelId),
      );
  const withDirect = scope.channelId === undefined;
  const likelyFirst = Math.min(
    ...subscribed.map(({ channelId, periods }) => floors.channels[channelId] ?? periods[0]?.[0] ?? 0),
    withDirect ? floors.direct : Number.MAX_SAFE_INTEGER,
  );
  // Reads the marks in parallel with the channels, whose moved-in ranges are rarely below the floors.
  const [likelyMarks] = await Promise.all([
    listReadMarks(userId, likelyFirst),
    reader.load(subscribed.map(({ channelId }) => channelId)),
  ]);
  const searched = subscribed.filter(({ channelId }) => reader.tracksUnread(channelId));
  const channels = searched.map(({ channelId, periods }) => ({
    channelId,
    periods: intersectPeriods(periods, unreadRanges(floors, channelId, reader.channel(channelId))),
  }));
  const starts = channels.flatMap(({ periods: [first] }) => first?.[0] ?? []);
  const historicalFrom = firstHistorical(searched, floors);
  const first = Math.min(historicalFrom, ...starts, withDirect ? floors.direct : Number.POSITIVE_INFINITY);
  if (!Number.isFinite(first))
    return { oldest: undefined, newest: async () => ({ messages: [], isCut: false }), floors, asOf };
  const marks = first < likelyFirst ? await listReadMarks(userId, first) : likelyMarks;
  const channelSets = channels.map(({ channelId, periods }) => ({
    read: receivedReader(channelId, scope.topic, periods),
    from: periods[0]?.[0] ?? 0,
  }));
  const historical = await findHistorical(reader, marks.unreadIds(historicalFrom), searched, scope.topic);
  if (historical.length > 0) channelSets.push({ read: readFrom(historical), from: historical[0]?.id ?? 0 });
  const readDirect: ReadSet = scope.readDirect ?? ((query) => readDirectMessages(userId, query));
  const directSet = { read: readDirect, from: floors.direct };
  return {
    ...(await searchUnread(
      reader,
      marks,
      withDirect ? [...channelSets, directSet] : channelSets,
      maxMessages,
      scope.upTo,
    )),
    floors,
    asOf,
  };
}

/**
 * The lowest ID from which messages may be unread that the reader did not receive, because they marked them as unread. Their
 * channel's floor is then before the present period of the subscription.
 */
const firstHistorical = (subscriptions: readonly Subscription[], floors: UnreadFloors): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...subscriptions.flatMap(({ channelId, periods }) => {
      const floor = floors.channels[channelId] ?? Number.POSITIVE_INFINITY;
      return floor < (periods.at(-1)?.[0] ?? 0) ? [floor] : [];
    }),
  );

/** At most this many of the newest messages that are marked as unread are looked up. */
const maxHistorical = 1000;

/** Those of the messages marked as unread that were sent to the channels while the reader was not subscribed, ascending. */
async function findHistorical(
  reader: Reader,
  markedIds: readonly number[],
  subscriptions: readonly Subscription[],
  topic: string | undefined,
): Promise<MessageSummary[]> {
  const channelIds = new Set(subscriptions.map(({ channelId }) => channelId));
  const messages = await findMessages(markedIds.slice(-maxHistorical));
  return messages.flatMap((message) => {
    if (!message || !channelIds.has(message.channelId ?? 0) || reader.reach(message) !== "history") return [];
    return topic === undefined || message.topic?.toLowerCase() === topic.toLowerCase() ? [message] : [];
  });
}

const readFrom =
  (messages: readonly MessageSummary[]): ReadSet =>
  async ({ from, to, descending, limit }) => {
    const found = messages.filter(({ id }) => from <= id && id <= to);
    return (descending ? found.toReversed() : found).slice(0, limit);
  };

/** Reads the messages of a channel or topic that were sent in the given periods. */
const receivedReader =
  (channelId: number, topic: string | undefined, periods: readonly Period[]): ReadSet =>
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
