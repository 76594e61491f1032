import { badRequest } from "../../../base/errors.ts";
import { hasTopic } from "../../../core/channels/topics.ts";
import { commit, readHead } from "../../../store/log/log.ts";
import { readDirectMessages } from "../../../store/messages/messages.ts";
import { findUnreadFloors, listReadMarks, segmentIds } from "../../../store/messages/read-state.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import { prefetch } from "../../../store/table/shared-reads.ts";
import { transact } from "../../../store/table/transactions.ts";
import type { Key } from "../../../store/table/writes.ts";
import { writtenItemsOf } from "../../../store/table/written-items.ts";
import type { Reader } from "../reader.ts";
import { flagEvent, markAsRead } from "./actions.ts";
import { startUnreadSearch } from "./unread-list.ts";

/**
 * Marks everything that the reader has received as read. Marks whole ID ranges without reading messages: costs 2 write
 * units per 32,768 IDs since the reader's first message, and nothing for ranges that are marked already.
 */
export async function markAllAsRead(reader: Reader): Promise<void> {
  const userId = reader.caller?.id ?? 0;
  const wroteBefore: Key[] = [];
  const [{ message: newest }, first] = await Promise.all([readHead(), findFirstId(reader)]);
  for (let start = first; start <= newest; start = nextPartStart(start)) {
    await retryOnConflict(async () => {
      const marks = await listReadMarks(userId, start);
      marks.markRange(start, Math.min(newest, nextPartStart(start) - 1));
      const writes = marks.writes(userId);
      if (writes.length === 0) return;
      await transact(writes);
      wroteBefore.push(...writtenItemsOf(writes));
    });
  }
  await commit({ wroteBefore, events: [flagEvent(userId, "add", "read", [], { all: true })] });
}

const segmentsPerTransaction = 20;
/** The first ID after those whose segments are written together with that of `id`. */
const nextPartStart = (id: number) => (Math.floor(id / segmentIds) + segmentsPerTransaction) * segmentIds;

/** The ID of the first message that may be unread. */
async function findFirstId(reader: Reader): Promise<number> {
  const [subscriptions, marks, [direct]] = await Promise.all([
    reader.subscriptions(),
    listReadMarks(reader.caller?.id ?? 0, 0),
    readDirectMessages(reader.caller?.id ?? 0, {
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      descending: false,
      limit: 1,
    }),
  ]);
  // Users may have marked messages as unread that were sent before they subscribed.
  return Math.min(
    marks.unreadFloor(),
    direct?.id ?? Number.MAX_SAFE_INTEGER,
    ...subscriptions.flatMap(({ periods }) => periods.map(([from]) => from)),
  );
}

/** Each round marks up to `maxUnread` messages, which are in memory at once. More rounds would exceed the request's time limit. */
const maxRounds = 4;

/**
 * Marks the reader's unread messages of a channel, or of one topic, as read, newest first. Costs 0.5 read units per
 * 8 messages. With more than 200,000 unread messages, the oldest stay unread until the next call.
 */
export async function markChannelAsRead(reader: Reader, channelId: number, topic?: string): Promise<void> {
  // The search needs floors and subscriptions.
  prefetch(() => findUnreadFloors(reader.caller?.id ?? 0));
  const [, , isKnownTopic] = await Promise.all([
    reader.subscriptions(),
    reader.load([channelId]),
    topic === undefined || hasTopic(channelId, topic),
  ]);
  if (!reader.mayRead(channelId)) throw badRequest("Invalid channel ID");
  if (!isKnownTopic) throw badRequest(`No such topic '${topic}'`);
  const search = await startUnreadSearch(reader, { channelId, topic });
  for (let round = 1; round <= maxRounds; round++) {
    const { messages, isCut } = await search.newest();
    const ids = messages.map(({ id }) => id);
    await markAsRead(reader, ids, messages);
    if (!isCut) return;
  }
}
