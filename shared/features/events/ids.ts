/**
 * Derives event IDs from the log's sequence numbers: each entry owns 256 IDs. The lower half is for the client events that the
 * entry becomes (usually one), the last of which always has the half's last ID; the upper half is for heartbeats after those
 * events. So IDs ascend, and `last_event_id` alone says what a client has seen, without any stored state.
 */

const idsPerEntry = 256;
/** The maximum number of client events that one entry becomes. */
export const maxEventsPerEntry = idsPerEntry / 2;

const firstOf = (base: number, sequence: number) => (sequence - base) * idsPerEntry;

/** The ID of the `index`th of `count` client events of an entry. */
export const eventId = (base: number, sequence: number, index: number, count: number) =>
  firstOf(base, sequence) + (index === count - 1 ? maxEventsPerEntry - 1 : index);

/** The last entry of which a client with this `last_event_id` has seen all events; an ID of -1 means none since `base`. */
export function sequenceSeen(base: number, lastId: number): number {
  if (lastId < 0) return base;
  const sequence = base + Math.floor(lastId / idsPerEntry);
  return lastId % idsPerEntry >= maxEventsPerEntry - 1 ? sequence : sequence - 1;
}

/**
 * The next heartbeat's ID for a client that has seen everything up to `sequence`; undefined when that entry's IDs are used up.
 */
export function heartbeatId(base: number, sequence: number, lastId: number): number | undefined {
  const first = firstOf(base, sequence) + maxEventsPerEntry;
  const id = Math.max(first, lastId + 1);
  return id < first + maxEventsPerEntry ? id : undefined;
}
