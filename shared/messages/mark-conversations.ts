import { badRequest } from "../errors.ts";
import { commit, readHead } from "../store/log.ts";
import { type Brief, readDirectMessages } from "../store/messages.ts";
import { listReadMarks, segmentIds } from "../store/read-state.ts";
import { findTopic } from "../store/topics.ts";
import { transact } from "../store/transactions.ts";
import { flagEvent, markAsRead, untilUndisturbed } from "./flag-actions.ts";
import type { Reader } from "./reader.ts";
import { listUnread } from "./unread-list.ts";

/**
 * Marks everything that the reader has received as read. IDs are marked whether there are messages or not, so that the
 * cost is 2 write units for each 32,768 IDs since the reader's first message, and nothing where all was read before.
 */
export async function markAllAsRead(reader: Reader): Promise<void> {
  const userId = reader.caller?.id ?? 0;
  const [{ message: newest }, first] = await Promise.all([readHead(), firstReceived(reader)]);
  for (let start = first; start <= newest; start = nextPart(start)) {
    await untilUndisturbed(async () => {
      const marks = await listReadMarks(userId, start, true);
      marks.markRange(start, Math.min(newest, nextPart(start) - 1));
      await transactIfAny(marks.writes(userId));
    });
  }
  const event = flagEvent(userId, "add", "read", []);
  await commit({ events: 1 }, () => ({
    writes: [],
    events: [{ ...event, event: { ...event.event, all: true } }],
    result: undefined,
  }));
}

const segmentsToTransaction = 20;
const nextPart = (id: number) => (Math.floor(id / segmentIds) + segmentsToTransaction) * segmentIds;
const transactIfAny = async (writes: Parameters<typeof transact>[0]) => {
  if (writes.length > 0) await transact(writes);
};

async function firstReceived(reader: Reader): Promise<number> {
  const [subscriptions, marks, [direct]] = await Promise.all([
    reader.subscriptions(),
    listReadMarks(reader.caller?.id ?? 0, 0, true),
    readDirectMessages(reader.caller?.id ?? 0, {
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      descending: false,
      limit: 1,
    }),
  ]);
  // What was said before one came may have been marked as unread all the same.
  return Math.min(
    marks.lowestUnread(),
    direct?.id ?? Number.MAX_SAFE_INTEGER,
    ...subscriptions.flatMap(({ periods }) => periods.map(([from]) => from)),
  );
}

const partToMark = 2000;
/** Lists of 50,000: a request has half a minute. */
const mostRounds = 4;

/**
 * Marks what the reader has unread in a channel, or in one topic of it, as read, the newest first: 0.5 read units for each
 * 8 messages. Of more than 200,000 the oldest are left for the next time.
 */
export async function markChannelAsRead(reader: Reader, channelId: number, topic?: string): Promise<void> {
  await reader.learn([channelId]);
  if (!reader.mayRead(channelId)) throw badRequest("Invalid channel ID");
  if (topic !== undefined && !(await findTopic(channelId, topic))) throw badRequest(`No such topic '${topic}'`);
  for (let round = 1; round <= mostRounds; round++) {
    const { messages, isCut } = await listUnread(reader, { channelId, topic });
    for (let start = 0; start < messages.length; start += partToMark)
      await markMessages(reader, messages.slice(start, start + partToMark));
    if (!isCut) return;
  }
}

const markMessages = (reader: Reader, messages: readonly Brief[]) =>
  markAsRead(
    reader,
    messages.map(({ id }) => id),
    messages,
  );
