import { randomUUID } from "node:crypto";
import { ApiError, badRequest } from "../errors.ts";
import {
  deleteEventQueue,
  type EventQueue,
  findEventQueue,
  putEventQueue,
  type QueueOptions,
} from "../store/event-queues.ts";
import type { Caller } from "../users/caller.ts";
import { closeBell, openBell } from "./bells.ts";
import { placeSeen } from "./ids.ts";

/** Seconds that a queue may be without a poll, unless its client asks for more. */
export const usualLifespan = 600;
const longestLifespan = 604_800;

export const badEventQueueId = (queue_id: string) =>
  new ApiError("BAD_EVENT_QUEUE_ID", `Bad event queue ID: ${queue_id}`, { queue_id });

/** The caller's queue; BAD_EVENT_QUEUE_ID for one that is another's, expired, deleted or never was. */
export async function accessQueue(caller: Caller, queueId: string): Promise<EventQueue> {
  const queue = await findEventQueue(caller.id, queueId);
  if (!queue) throw badEventQueueId(queueId);
  return queue;
}

/** Whose the queues are to which clients came back in this process. */
const owners = new Map<string, number>();
const mostOwners = 1000;

function rememberOwner({ id, userId }: EventQueue): void {
  owners.delete(id);
  owners.set(id, userId);
  const [oldest] = owners.keys();
  if (owners.size > mostOwners && oldest) owners.delete(oldest);
}

/**
 * Reads a queue before it is known who asks, where this process knows whose it is: half a read unit, for a queue that may
 * be as it was a moment ago. It proves nothing: `accessKnownQueue` looks whether the caller is its owner.
 */
export async function foreseeQueue(queueId: string | undefined): Promise<EventQueue | undefined> {
  const userId = queueId === undefined ? undefined : owners.get(queueId);
  return userId === undefined ? undefined : findEventQueue(userId, queueId as string, { consistent: false });
}

/** The same for a client that comes back to a queue, which may have been foreseen: half a read unit if it was not. */
export async function accessKnownQueue(
  caller: Caller,
  queueId: string,
  foreseen: EventQueue | undefined,
): Promise<EventQueue> {
  const known =
    foreseen?.userId === caller.id ? foreseen : await findEventQueue(caller.id, queueId, { consistent: false });
  const queue = known ?? (await accessQueue(caller, queueId));
  rememberOwner(queue);
  return queue;
}

/** Makes a queue that begins behind `base`, where its owner was subscribed to `channelIds`. */
export async function openQueue(
  caller: Caller,
  options: QueueOptions & { lifespan?: number | undefined },
  { base, channelIds }: { base: number; channelIds: Set<number> },
): Promise<EventQueue> {
  const { lifespan, ...rest } = options;
  const queue: EventQueue = {
    ...rest,
    id: randomUUID(),
    userId: caller.id,
    base,
    place: base,
    channelIds,
    lifespan: Math.min(lifespan || usualLifespan, longestLifespan),
    usedAt: Math.floor(Date.now() / 1000),
  };
  if (await openBell(queue)) queue.bell = true;
  await putEventQueue(queue);
  return queue;
}

/** Deletes a queue and its bell. */
export async function closeQueue(queue: EventQueue): Promise<void> {
  await deleteEventQueue(queue);
  if (queue.bell) await closeBell(queue.id);
}

/** The place in the log that a client has seen; an error when the queue no longer knows what came after it. */
export function seenPlace(queue: EventQueue, lastEventId: number | undefined): number {
  if (lastEventId === undefined) return queue.place;
  const place = placeSeen(queue.base, lastEventId);
  if (place < queue.place) throw badRequest(`An event newer than ${lastEventId} has already been pruned!`);
  return place;
}

export const notInQueue = (lastEventId: number) => badRequest(`Event ${lastEventId} was not in this queue`);
