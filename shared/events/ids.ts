/**
 * Event IDs of a queue follow from places in the log: each place has 256 of them. The lower half is for the events that
 * one entry of the log becomes for a client (usually one), of which the last always has the half's last ID; the upper
 * half is for heartbeats after it. So IDs rise, and what a client has seen follows from its `last_event_id` alone.
 */

const perPlace = 256;
/** At most so many events may one entry of the log become. */
export const eventsPerPlace = perPlace / 2;

const firstOf = (base: number, place: number) => (place - base) * perPlace;

/** The ID of the `index`th of `count` events at a place. */
export const eventId = (base: number, place: number, index: number, count: number) =>
  firstOf(base, place) + (index === count - 1 ? eventsPerPlace - 1 : index);

/** The last place of which a client with this `last_event_id` has seen everything; -1 stands for the queue's beginning. */
export function placeSeen(base: number, lastId: number): number {
  if (lastId < 0) return base;
  const place = base + Math.floor(lastId / perPlace);
  return lastId % perPlace >= eventsPerPlace - 1 ? place : place - 1;
}

/** The next heartbeat's ID for a client that has seen everything up to `place`; undefined when they are used up there. */
export function heartbeatId(base: number, place: number, lastId: number): number | undefined {
  const first = firstOf(base, place) + eventsPerPlace;
  const id = Math.max(first, lastId + 1);
  return id < first + eventsPerPlace ? id : undefined;
}
