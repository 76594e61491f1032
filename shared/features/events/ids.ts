import type { Caller } from "../../services/identity/caller.ts";
import type { EventQueue } from "../../store/delivery/event-queues.ts";

/**
 * Derives event IDs from the log's sequence numbers: each entry owns a range of IDs. The lower half is for the client events that the
 * entry becomes (usually one), the last of which always has the half's last ID; the upper half is for heartbeats after those
 * events. So IDs ascend, and `last_event_id` alone says what a client has seen, without any stored state.
 */

type Numbering = Pick<EventQueue, "base" | "idsPerEntry">;

/** IDs per entry in the queues of bots, and in those that do not say: their programs may keep IDs in 32 bits, for 8 million entries. */
const fewIds = 256;
/** In the queues of people: everybody in an organization of ten thousand can appear by one entry, with status and presence. */
const manyIds = 65_536;

/** What a new queue of a user stores of how its IDs are derived. */
export const numberingOf = (caller: Pick<Caller, "botType">): Pick<EventQueue, "idsPerEntry"> =>
  caller.botType === undefined ? { idsPerEntry: manyIds } : {};

const idsOf = ({ idsPerEntry = fewIds }: Pick<EventQueue, "idsPerEntry">) => idsPerEntry;

/** The maximum number of client events that one entry becomes. */
export const maxEventsPerEntry = (queue: Pick<EventQueue, "idsPerEntry">) => idsOf(queue) / 2;

const firstOf = (queue: Numbering, sequence: number) => (sequence - queue.base) * idsOf(queue);

/** The ID of the `index`th of `count` client events of an entry. */
export const eventId = (queue: Numbering, sequence: number, index: number, count: number) =>
  firstOf(queue, sequence) + (index === count - 1 ? maxEventsPerEntry(queue) - 1 : index);

/** The last entry of which a client with this `last_event_id` has seen all events; an ID of -1 means none since the queue's base. */
export function sequenceSeen(queue: Numbering, lastId: number): number {
  if (lastId < 0) return queue.base;
  const sequence = queue.base + Math.floor(lastId / idsOf(queue));
  return lastId % idsOf(queue) >= maxEventsPerEntry(queue) - 1 ? sequence : sequence - 1;
}

/**
 * The next heartbeat's ID for a client that has seen everything up to `sequence`; undefined when that entry's IDs are used up.
 */
export function heartbeatId(queue: Numbering, sequence: number, lastId: number): number | undefined {
  const first = firstOf(queue, sequence) + maxEventsPerEntry(queue);
  const id = Math.max(first, lastId + 1);
  return id < first + maxEventsPerEntry(queue) ? id : undefined;
}
