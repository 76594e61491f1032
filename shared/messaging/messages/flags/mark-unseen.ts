import { batchesOf, mapInBatches } from "../../../base/batches.ts";
import type { Values } from "../../../base/schema/params.ts";
import { intersectPeriods } from "../../../core/channels/periods.ts";
import { enqueue } from "../../../services/jobs/queues.ts";
import { type Channel, findChannel } from "../../../store/channels/channels.ts";
import { findSubscriptionsTo, listSubscriberIds, type Period } from "../../../store/channels/subscriptions.ts";
import { channelPartition, type MessageSummary, readPartitionSummaries } from "../../../store/messages/messages.ts";
import { findUnreadFloors, listReadMarks, type ReadMarks } from "../../../store/messages/read-state.ts";
import { addReadMarks } from "./actions.ts";
import { isReadBySending } from "./flags.ts";
import { markUnseenJob } from "./jobs.ts";
import { unreadRanges } from "./unread-ranges.ts";

/**
 * Messages in channels that a user has left, and in archived ones, count as read (`Reader.tracksUnread`) from the moment of the
 * change. Marking them as well has two effects: clients get events that name them, and they do not become unread again when the
 * user returns or the channel is unarchived.
 */

/** Users who are handled together: the channel's messages are read once for all of them. Their marks are in memory. */
const usersPerRound = 50;
/** After this many users of an archived channel, another job continues. */
const usersPerJob = 1000;
const messagesPerPage = 1000;
const maxConcurrentWrites = 10;

type Unseen = Values<typeof markUnseenJob.body>;

/** Does the job. */
export async function markUnseen(job: Unseen): Promise<void> {
  const channel = await findChannel(job.channel_id);
  if (!channel) return;
  const { user_ids, after_user = 0 } = job;
  const userIds = user_ids ?? (await listSubscriberIds(channel.id)).filter((id) => id > after_user);
  const now = user_ids ? userIds : userIds.slice(0, usersPerJob);
  for (const batch of batchesOf(now, usersPerRound)) await markChannelUnseen(channel, batch, job.up_to);
  if (now.length < userIds.length) await enqueue(markUnseenJob, { ...job, after_user: now.at(-1) });
}

interface Leaver {
  userId: number;
  marks: ReadMarks;
  /** When the user was subscribed. */
  periods: readonly Period[];
  /** Where the channel may have messages that the user has not read. */
  ranges: Period[];
  unreadIds: number[];
}

/**
 * Marks what the users have not read of a channel, up to a message ID. Costs about 2 read units for each user, 0.5 for each 8
 * messages above the lowest of their floors, and 5 write units for each user who has not read something.
 */
async function markChannelUnseen(channel: Channel, userIds: readonly number[], upTo: number): Promise<void> {
  const subscriptions = await findSubscriptionsTo(channel.id, userIds);
  const leavers = await Promise.all(
    userIds.map(async (userId, index): Promise<Leaver> => {
      const floors = await findUnreadFloors(userId);
      const { periods = [] } = subscriptions[index] ?? {};
      const [[start] = [upTo]] = periods;
      // Without a floor, nothing is unread before the subscription. With one, what was sent before may be marked as unread.
      const channels = { ...floors.channels, [channel.id]: floors.channels[channel.id] ?? start };
      const possible = unreadRanges({ ...floors, channels }, channel.id, channel);
      const ranges = intersectPeriods(possible, [[0, upTo + 1]]);
      return { userId, periods, ranges, marks: await listReadMarks(userId, ranges[0]?.[0] ?? upTo), unreadIds: [] };
    }),
  );
  for (let from = nextFor(leavers, 0); from <= upTo; ) {
    const query = { from, to: upTo, descending: false, limit: messagesPerPage };
    const page = await readPartitionSummaries("gsi1", channelPartition(channel.id), query);
    for (const leaver of leavers)
      for (const message of page) if (isUnread(leaver, message)) leaver.unreadIds.push(message.id);
    const last = page.at(-1);
    if (!last || page.length < messagesPerPage) break;
    from = nextFor(leavers, last.id + 1);
  }
  await mapInBatches(leavers, maxConcurrentWrites, ({ userId, unreadIds }) =>
    addReadMarks(userId, unreadIds, (id, marks) => marks.of(id) !== true),
  );
}

/** The lowest ID, `from` or above, that one of the users may not have read. */
const nextFor = (leavers: readonly Leaver[], from: number): number =>
  Math.min(
    ...leavers.flatMap(({ marks, ranges }) =>
      ranges.flatMap(([start, end = Number.MAX_SAFE_INTEGER]) => {
        const next = marks.nextNotRead(Math.max(from, start));
        return next < end ? [next] : [];
      }),
    ),
    Number.MAX_SAFE_INTEGER,
  );

function isUnread({ userId, marks, periods, ranges }: Leaver, message: MessageSummary): boolean {
  const { id } = message;
  const isWithin = (some: readonly Period[]) =>
    some.some(([start, end = Number.MAX_SAFE_INTEGER]) => start <= id && id < end);
  const mark = isWithin(ranges) ? marks.of(id) : true;
  if (mark !== undefined) return !mark;
  return isWithin(periods) && !isReadBySending(message, userId);
}
