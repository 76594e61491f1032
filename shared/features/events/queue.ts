import { randomUUID } from "node:crypto";
import { creationLimits } from "../../base/creation-limits.ts";
import { ApiError, badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import type { Caller } from "../../services/identity/caller.ts";
import {
  deleteEventQueue,
  type EventQueue,
  findEventQueue,
  listEventQueues,
  putEventQueue,
  type QueueOptions,
} from "../../store/delivery/event-queues.ts";
import { removeRecordConnection } from "../../store/delivery/wake-up-queues.ts";
import { numberingOf, sequenceSeen } from "./ids.ts";
import { closeWakeUpQueue, openWakeUpQueue } from "./wake-up-queues.ts";

/** Seconds without a poll after which a queue expires, unless its client asks for more. */
export const defaultLifespanSeconds = 600;
export const maxLifespanSeconds = 7 * secondsPerDay;

export const badEventQueueId = (queue_id: string) =>
  new ApiError("BAD_EVENT_QUEUE_ID", `Bad event queue ID: ${queue_id}`, { queue_id });

/** The caller's queue; throws BAD_EVENT_QUEUE_ID for one that expired, was deleted, never existed, or is another user's. */
export async function accessQueue(caller: Caller, queueId: string): Promise<EventQueue> {
  const queue = await findEventQueue(caller.id, queueId);
  if (!queue) throw badEventQueueId(queueId);
  return queue;
}

/** The owners of queues that this process has polled, by queue ID. */
const owners = new ProcessCache<string, number>({ minRetained: 1000 });

/**
 * The queue that a client polls. It is read early if this process knows its owner, and only where `last_event_id` overrides the
 * position that is saved in it, because it may then be a moment old. 1 read unit.
 */
export const polledQueue: Need<
  EventQueue,
  { caller: Caller; params: { queue_id?: string | undefined; last_event_id?: number | undefined } }
> = {
  early: (sent) => {
    const queueId = sent("last_event_id") === undefined ? undefined : sent("queue_id");
    const userId = queueId === undefined ? undefined : owners.get(queueId);
    return userId === undefined ? undefined : findEventQueue(userId, queueId as string);
  },
  load: async ({ caller, params }) => {
    const queue = await accessQueue(caller, params.queue_id ?? "");
    if (params.last_event_id !== undefined) owners.set(queue.id, queue.userId);
    return queue;
  },
};

/** Creates a queue of the events after `base`, as of which its owner was subscribed to `channelIds`. */
export async function openQueue(
  caller: Caller,
  options: QueueOptions & { lifespanSeconds?: number | undefined },
  { base, channelIds }: { base: number; channelIds: Set<number> },
): Promise<EventQueue> {
  const { lifespanSeconds, ...rest } = options;
  const queue: EventQueue = {
    ...rest,
    ...numberingOf(caller),
    id: randomUUID(),
    userId: caller.id,
    base,
    sequence: base,
    channelIds,
    lifespan: Math.min(lifespanSeconds || defaultLifespanSeconds, maxLifespanSeconds),
    usedAt: nowSeconds(),
  };
  const [hasWakeUpQueue] = await Promise.all([openWakeUpQueue(queue), closeOldQueues(caller.id)]);
  if (hasWakeUpQueue) queue.hasWakeUpQueue = true;
  await putEventQueue(queue);
  return queue;
}

/** Limits a user's queues, because a client that registers again and again without polling would fill the table. */
const { max: maxQueues } = creationLimits.eventQueue;

/**
 * Makes room for one more queue by deleting the least recently used. A sweep deletes their wake-up queues later; a connection gets
 * nothing more, and ends when its client acknowledges.
 */
async function closeOldQueues(userId: number): Promise<void> {
  const queues = await listEventQueues(userId);
  const excess = queues.sort((a, b) => b.usedAt - a.usedAt).slice(maxQueues - 1);
  const close = async (queue: EventQueue) => {
    if (queue.connectionId !== undefined) await removeRecordConnection(queue.id, queue.connectionId);
    await deleteEventQueue(queue);
  };
  await Promise.all(excess.map(close));
}

export async function closeQueue(queue: EventQueue): Promise<void> {
  await deleteEventQueue(queue);
  if (queue.connectionId !== undefined)
    await import("../../services/connections/post.ts").then(({ endConnection }) =>
      endConnection(queue.connectionId as string),
    );
  if (queue.hasWakeUpQueue) await closeWakeUpQueue(queue.id);
}

/** The sequence number that a client has acknowledged; throws if it lies before the saved position. */
export function acknowledgedSequence(queue: EventQueue, lastEventId: number | undefined): number {
  if (lastEventId === undefined) return queue.sequence;
  const sequence = sequenceSeen(queue, lastEventId);
  if (sequence < queue.sequence) throw badRequest(`An event newer than ${lastEventId} has already been pruned!`);
  return sequence;
}

export const notInQueue = (lastEventId: number) => badRequest(`Event ${lastEventId} was not in this queue`);
