import { wakeUpQueuesUrl } from "../../base/environment.ts";
import { longPollSeconds, unverifiedLongPollSeconds } from "../../base/limits.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import {
  type EventQueue,
  expiryOf,
  findEventQueues,
  markNotified,
  unmarkNotified,
} from "../../store/delivery/event-queues.ts";
import { findWakeUpProof } from "../../store/delivery/wake-up-proof.ts";
import {
  deleteWakeUpQueueRecord,
  listWakeUpQueueRecords,
  postponeWakeUpQueueSweep,
  putWakeUpQueueRecord,
  setWakeUpChannels,
} from "../../store/delivery/wake-up-queues.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { eventId } from "./ids.ts";
import { sharedRead } from "./shared-reads.ts";

/** Waiting without a function: API Gateway receives from the client's wake-up queue, which is notified of relevant events. */

const sqsQueues = () => import("../../services/jobs/wake-up-queues.ts");

/**
 * Creates the wake-up queue of a new event queue. False in a fleet without wake-up queues and after a failure: functions then
 * hold the event queue's polls. The record is written first, so that no SQS queue is ever left without a record by which to
 * delete it.
 */
export async function openWakeUpQueue(queue: EventQueue): Promise<boolean> {
  if (!wakeUpQueuesUrl()) return false;
  try {
    await transact([putWakeUpQueueRecord(recordOf(queue))]);
    await (await sqsQueues()).createWakeUpQueue(queue.id);
    return true;
  } catch (error) {
    console.error(JSON.stringify({ wakeUpQueue: "not created", error: describeError(error) }));
    return false;
  }
}

/**
 * Creates the wake-up queue again of an event queue whose client was away for long, or for which it could not be created. False
 * where there are none, and after a failure. Throws `deleted` when the event queue was deleted meanwhile.
 */
export async function reopenWakeUpQueue(queue: EventQueue, deleted: () => Error): Promise<boolean> {
  if (!(await openWakeUpQueue(queue))) return false;
  await transact([markNotified(queue, deleted)]);
  queue.hasWakeUpQueue = true;
  return true;
}

/** Seconds without a poll after which a client counts as away: until then every event queue may be polled again at once. */
const maxAwakeSeconds = 720;

/**
 * When a sweep looks at a wake-up queue again. An event queue may be kept for a week, but each record is read at every change of
 * the log, and each queue gets its messages: those of clients that are away are deleted.
 */
const sweepDueAt = (queue: EventQueue) => Math.min(expiryOf(queue), queue.usedAt + maxAwakeSeconds);

function recordOf(queue: EventQueue): Parameters<typeof putWakeUpQueueRecord>[0] {
  const { id: queueId, userId, eventTypes, channelIds = new Set<number>() } = queue;
  const record = { queueId, userId, dueAt: sweepDueAt(queue), ...(eventTypes && { eventTypes }) };
  return receivesOtherChannels(queue) ? record : { ...record, channelIds };
}

/** Whether a queue receives more than its owner's channels. */
export const receivesOtherChannels = ({ allPublicStreams, narrow }: EventQueue) =>
  allPublicStreams || narrow.length > 0;

/**
 * Writes the record of the events that concern a queue's client, unless it was written when the queue was opened. Throws
 * `deleted` when the queue was deleted meanwhile.
 */
export async function ensureRecord(queue: EventQueue, deleted: () => Error): Promise<void> {
  if (!queue.hasWakeUpQueue) await transact([putWakeUpQueueRecord(recordOf(queue)), markNotified(queue, deleted)]);
}

/** Deletes the SQS queue, if any, before its record, so that a failure in between leaves a record by which to retry. */
export async function closeWakeUpQueue(queueId: string): Promise<void> {
  if (wakeUpQueuesUrl()) await (await sqsQueues()).deleteWakeUpQueue(queueId);
  await deleteWakeUpQueueRecord(queueId);
}

/** The writes to the wake-up queue's record that a change of the owner's channels needs. */
export const wakeUpQueueWrites = (queue: EventQueue, channelIds: ReadonlySet<number>): Write[] =>
  receivesOtherChannels(queue) ? [] : [setWakeUpChannels(queue.id, channelIds)];

/** The first wake-up route for a client, below `/events/`. The routes redirect to each other and finally to `look`. */
export const wakeUpPath = (queue: EventQueue, lastEventId: number | undefined) =>
  `${queue.id}/${lastEventId ?? eventId(queue, queue.sequence, 0, 1)}/wait-1`;

/** How long a process relies on not having found a proof. */
const maxProofAgeMs = 30_000;

/** Caches the proof for the life of the process, since it is never deleted. */
const proofs = new ProcessCache<"wakeUpRoute", true>({ minRetained: 1 });

/** Whether clients may be redirected to the wake-up route: a smoke test has seen it work in this fleet. */
export async function isWakeUpRouteVerified(): Promise<boolean> {
  if (proofs.get("wakeUpRoute")) return true;
  const found = await sharedRead("wakeUpProof", maxProofAgeMs, findWakeUpProof);
  if (found) proofs.set("wakeUpRoute", true);
  return found !== undefined;
}

/**
 * How long a function holds a poll: for a shorter time while the wake-up route is configured but not verified, since every
 * client then keeps a function running.
 */
export const functionWaitMs = async (): Promise<number> =>
  1000 * (wakeUpQueuesUrl() && !(await isWakeUpRouteVerified()) ? unverifiedLongPollSeconds : longPollSeconds);

const maxSweptQueues = 500;

/**
 * Deletes the wake-up queues of up to `maxSweptQueues` event queues that expired, were deleted, or whose clients are away; postpones
 * the check of others.
 */
export async function sweepWakeUpQueues(): Promise<void> {
  const now = Date.now() / 1000;
  const due = (await listWakeUpQueueRecords()).filter(({ dueAt }) => dueAt <= now).slice(0, maxSweptQueues);
  const queues = await findEventQueues(due.map(({ queueId, userId }) => ({ id: queueId, userId })));
  for (const [index, { queueId, connectionId }] of due.entries()) {
    const queue = queues[index];
    const isDue = queue && sweepDueAt(queue) <= now;
    // The client's next poll waits in a function if it comes in between, and creates the queue again.
    const isClosed = !queue || (isDue && connectionId === undefined && (await unmarkNotified(queue)));
    if (isClosed) await closeWakeUpQueue(queueId);
    else await postponeWakeUpQueueSweep(queueId, isDue ? now + 60 : sweepDueAt(queue));
  }
}
