import { mergePeriods } from "../../../core/channels/periods.ts";
import type { Channel } from "../../../store/channels/channels.ts";
import type { Period } from "../../../store/channels/subscriptions.ts";
import type { UnreadFloors } from "../../../store/messages/read-state.ts";

/**
 * A reader's floor in a channel is a message ID below which nothing is unread. A message that is moved into the channel may
 * invalidate the floor, and a move cannot lower the floors of all readers. Instead, the channel records the ID ranges that were
 * moved in, and readers whose floors are older than a record search its range again.
 */

type MovedIn = NonNullable<Channel["movedIn"]>;

/** Batches of a move within this time share a record, so that a long move rarely writes the channel. */
const recordWindowMs = 30_000;
/** If there would be more records, the two oldest are merged. */
const maxRecords = 4;
/** Time for a move's writes to reach the eventually consistent index. */
const settlingMs = 30_000;

/**
 * Floors that are computed now take into account all moves up to this time; ranges that are moved in later are searched again.
 */
export const floorsValidAsOf = (now: number) => now - recordWindowMs - settlingMs;

/** A channel's records after the messages `ids` are moved in; undefined when the present records cover them. */
export function movedInAfter(records: MovedIn = [], ids: readonly number[], now: number): MovedIn | undefined {
  const addition = { from: Math.min(...ids), to: Math.max(...ids), at: now };
  const last = records.at(-1);
  if (!last || last.at < now - recordWindowMs) {
    const [first, second, ...others] = records;
    return first && second && records.length >= maxRecords
      ? [merged(first, second), ...others, addition]
      : [...records, addition];
  }
  if (last.from <= addition.from && addition.to <= last.to) return undefined;
  return [...records.slice(0, -1), { ...merged(last, addition), at: last.at }];
}

const merged = (a: MovedIn[number], b: MovedIn[number]) => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
  at: Math.max(a.at, b.at),
});

/** The ranges that were moved into a channel after its floor was computed. */
export const movedInSince = ({ asOf = 0 }: UnreadFloors, channel: Pick<Channel, "movedIn"> | undefined): MovedIn =>
  (channel?.movedIn ?? []).filter(({ at }) => at > asOf);

/**
 * Where a channel may have unread messages for a reader: from the floor on, and in ranges moved in after the floor was
 * computed.
 */
export function unreadRanges(
  floors: UnreadFloors,
  channelId: number,
  channel: Pick<Channel, "movedIn"> | undefined,
): Period[] {
  const floor = floors.channels[channelId] ?? 0;
  const below = movedInSince(floors, channel).filter(({ from }) => from < floor);
  return mergePeriods([...below.map(({ from, to }): Period => [from, to + 1]), [floor]]);
}
