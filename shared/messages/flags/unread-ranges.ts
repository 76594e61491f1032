import { mergePeriods } from "../../channels/periods.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Period } from "../../store/channels/subscriptions.ts";
import type { UnreadFloors } from "../../store/messages/read-state.ts";

/**
 * A reader's floor is a message ID of a channel below which nothing is unread. A message moved in from another channel may
 * invalidate it, and a move cannot lower the floors of all readers. Instead the channel records the ID ranges that were
 * moved in, and readers whose floors are older than a record look through its range again.
 */

type MovedIn = NonNullable<Channel["movedIn"]>;

/** Batches within this time share a record, so that a long move rarely writes the channel. */
const noteWindowMs = 30_000;
/** Further records are merged into the oldest. */
const maxNotes = 4;
/** Time for a move's writes to reach the eventually consistent index. */
const settlingMs = 30_000;

/** The time for which floors that are computed now are certainly valid; later moves are looked for again. */
export const floorsValidAsOf = (now: number) => now - noteWindowMs - settlingMs;

/** A channel's records after messages are moved in; undefined when the present records cover them. */
export function movedInAfter(notes: MovedIn = [], ids: readonly number[], now: number): MovedIn | undefined {
  const came = { from: Math.min(...ids), to: Math.max(...ids), at: now };
  const last = notes.at(-1);
  if (!last || last.at < now - noteWindowMs) {
    const [first, second, ...others] = notes;
    return first && second && notes.length >= maxNotes ? [joined(first, second), ...others, came] : [...notes, came];
  }
  if (last.from <= came.from && came.to <= last.to) return undefined;
  return [...notes.slice(0, -1), { ...joined(last, came), at: last.at }];
}

const joined = (a: MovedIn[number], b: MovedIn[number]) => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
  at: Math.max(a.at, b.at),
});

/** The ranges that were moved into a channel after its floor was computed. */
export const movedInSince = ({ asOf = 0 }: UnreadFloors, channel: Pick<Channel, "movedIn"> | undefined): MovedIn =>
  (channel?.movedIn ?? []).filter(({ at }) => at > asOf);

/** Where a channel may have unread messages for a reader: from the floor on, and in ranges moved in after the floor was computed. */
export function unreadRanges(
  floors: UnreadFloors,
  channelId: number,
  channel: Pick<Channel, "movedIn"> | undefined,
): Period[] {
  const floor = floors.channels[channelId] ?? 0;
  const below = movedInSince(floors, channel).filter(({ from }) => from < floor);
  return mergePeriods([...below.map(({ from, to }): Period => [from, to + 1]), [floor]]);
}
