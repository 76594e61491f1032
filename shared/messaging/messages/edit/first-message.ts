import {
  type Channel,
  type ChannelStats,
  checkFirstMessage,
  findChannel,
  findChannelStats,
  updateFirstMessage,
} from "../../../store/channels/channels.ts";
import type { LoggedEvent } from "../../../store/log/entry.ts";
import { type ChangePart, commit, noChange } from "../../../store/log/log.ts";
import { channelPartition, checkInChannel, findMessages, readPartition } from "../../../store/messages/messages.ts";
import { retryOnConflict } from "../../../store/table/conflicts.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";

/**
 * A channel's first message (`first_message_id`): recorded by the job that counts traffic, so that sending costs nothing for it, and
 * kept right by whatever deletes messages or moves them. The writes are conditional on the record, and on the message that becomes
 * the first being in the channel.
 */

/** What changes when messages leave a channel. Costs 0.5 read units, unless the first message is among them. */
export async function firstMessageAfterRemoval(channelId: number, ids: ReadonlySet<number>): Promise<ChangePart> {
  const before = await findFirstMessageId(channelId);
  // The job may be about to record one of the messages.
  if (before === undefined) return { writes: [checkFirstMessage(channelId, before)], events: [] };
  if (!ids.has(before)) return noChange;
  return planChange(channelId, before, await findFirstExcept(channelId, ids, before), { isPresent: true });
}

/** What changes when messages arrive in a channel from another one. Costs 0.5 read units, unless one becomes the first. */
export async function firstMessageAfterArrival(channelId: number, ids: ReadonlySet<number>): Promise<ChangePart> {
  const before = await findFirstMessageId(channelId);
  const oldest = Math.min(...ids);
  if (before !== undefined)
    return oldest < before ? planChange(channelId, before, oldest, { isPresent: false }) : noChange;
  const present = await findFirstExcept(channelId, ids, 0);
  const isPresent = present !== undefined && present < oldest;
  return planChange(channelId, before, isPresent ? present : oldest, { isPresent });
}

/** Records the first message of a channel for which none is recorded. */
export const recordFirstMessage = (channelId: number): Promise<void> =>
  retryOnConflict(async () => {
    const [before, first] = await Promise.all([
      findFirstMessageId(channelId),
      findFirstExcept(channelId, new Set(), 0),
    ]);
    if (before === undefined && first !== undefined)
      await commit(await planChange(channelId, before, first, { isPresent: true }));
  });

const findFirstMessageId = async (channelId: number): Promise<ChannelStats["firstMessageId"]> =>
  (await findChannelStats([channelId]))[0]?.firstMessageId;

/** `isPresent`: the new first message is in the channel already, and must still be. */
async function planChange(
  channelId: number,
  before: number | undefined,
  after: number | undefined,
  { isPresent }: { isPresent: boolean },
): Promise<ChangePart> {
  const channel = await findChannel(channelId);
  if (!channel) return noChange;
  return {
    writes: [
      updateFirstMessage(channelId, before, after),
      ...(isPresent && after !== undefined ? [checkInChannel(after, channelId)] : []),
    ],
    events: [firstMessageEvent(channel, after)],
  };
}

const firstMessageEvent = ({ id, name }: Channel, firstMessageId: number | undefined): LoggedEvent => ({
  audience: { kind: "channelViewers", channelId: id },
  event: {
    type: "stream",
    op: "update",
    stream_id: id,
    name,
    property: "first_message_id",
    value: firstMessageId ?? null,
  },
});

/** Most often the first is still there. */
const maxCandidates = 5;

/** The ID of a channel's first message from an ID on that is none of `ids`. Reads as many messages as it excludes, and one more. */
async function findFirstExcept(channelId: number, ids: ReadonlySet<number>, from: number): Promise<number | undefined> {
  for (let next = from; ; ) {
    const range = { from: next, to: Number.MAX_SAFE_INTEGER, descending: false, limit: ids.size + 1 };
    const page = await readPartition("gsi1", channelPartition(channelId), range);
    const remaining = page.map(({ id }) => id).filter((id) => !ids.has(id));
    // The index may still list messages that were deleted or moved.
    const current = await withConsistentReads(() => findMessages(remaining.slice(0, maxCandidates)));
    const first = current.find((message) => message?.channelId === channelId);
    if (first) return first.id;
    const last = remaining.length > maxCandidates ? remaining[maxCandidates - 1] : page.at(-1)?.id;
    if (last === undefined || (page.length <= ids.size && remaining.length <= maxCandidates)) return undefined;
    next = last + 1;
  }
}
