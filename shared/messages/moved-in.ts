import type { Channel } from "../store/channels.ts";
import type { UnreadFloors } from "../store/read-state.ts";
import type { Period } from "../store/subscriptions.ts";
import { mergedPeriods } from "./periods.ts";

/**
 * A reader's floor says that nothing is unread below it in a channel, which a message that is moved in from another
 * channel may make wrong. A move cannot lower the floors of all readers; so the channel remembers for a while what came,
 * and a reader whose floors were noted before looks there again.
 */

type MovedIn = NonNullable<Channel["movedIn"]>;

/** Milliseconds for which batches share a note: a long move writes its channel rarely. */
const shared = 30_000;
/** Further notes are merged with the oldest. */
const mostNotes = 4;
/** Milliseconds after which everybody who looks finds what a move has written, its note and the index included. */
const settling = 30_000;

/** When floors that are noted now were surely true: whatever came later, or shortly before, is looked for again. */
export const floorsAsOf = (now: number) => now - shared - settling;

/** What a channel notes when messages come from another; undefined when its notes tell of them already. */
export function notesAfter(notes: MovedIn = [], ids: readonly number[], now: number): MovedIn | undefined {
  const came = { from: Math.min(...ids), to: Math.max(...ids), at: now };
  const last = notes.at(-1);
  if (!last || last.at < now - shared) {
    const [first, second, ...others] = notes;
    return first && second && notes.length >= mostNotes ? [joined(first, second), ...others, came] : [...notes, came];
  }
  if (last.from <= came.from && came.to <= last.to) return undefined;
  return [...notes.slice(0, -1), { ...joined(last, came), at: last.at }];
}

const joined = (a: MovedIn[number], b: MovedIn[number]) => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
  at: Math.max(a.at, b.at),
});

/** What came to a channel since some floors were true. */
export const cameSince = ({ asOf = 0 }: UnreadFloors, channel: Pick<Channel, "movedIn"> | undefined): MovedIn =>
  (channel?.movedIn ?? []).filter(({ at }) => at > asOf);

/** Where in a channel a reader may have something unread: from their floor on, and where messages came since it was noted. */
export function unreadRanges(
  floors: UnreadFloors,
  channelId: number,
  channel: Pick<Channel, "movedIn"> | undefined,
): Period[] {
  const floor = floors.channels[channelId] ?? 0;
  const below = cameSince(floors, channel).filter(({ from }) => from < floor);
  return mergedPeriods([...below.map(({ from, to }): Period => [from, to + 1]), [floor]]);
}
