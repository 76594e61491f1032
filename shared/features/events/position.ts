import { setTimeout as pause } from "node:timers/promises";
import { nowSeconds } from "../../base/time.ts";
import {
  type EventQueue,
  maxUsedAtLagSeconds,
  saveQueueCursor,
  updateEventQueue,
} from "../../store/delivery/event-queues.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { readHead } from "../../store/log/log.ts";
import { LogReader } from "../../store/log/reader.ts";
import { followSubscriptions } from "./audience.ts";
import { acknowledgedSequence, badEventQueueId, notInQueue } from "./queue.ts";
import { wakeUpQueueWrites } from "./wake-up-queues.ts";

/** A client's position in the log, and saving it in the client's event queue. */

export const entriesPerRead = 200;
/** A position that has moved further than this is saved even if the queue is not due to be touched. */
const maxUnsavedEntries = 50;

export interface Position {
  sequence: number;
  /** The channels to which the queue's owner is subscribed as of `sequence`. */
  channelIds: ReadonlySet<number>;
}

/** The position of a client that has seen `lastEventId`; replays the log since the saved position to know its subscriptions. */
export async function catchUp(queue: EventQueue, lastEventId: number | undefined): Promise<Position> {
  const target = acknowledgedSequence(queue, lastEventId);
  const position = await positionAt(queue, target, () => notInQueue(lastEventId ?? -1));
  const { channelIds } = position;
  // Saves new subscriptions before reading the log: otherwise an event in between would be neither read nor notified.
  if ((queue.hasWakeUpQueue && hasChannelChanges(queue, channelIds)) || target - queue.sequence > maxUnsavedEntries)
    await touch(queue, position);
  return position;
}

/**
 * The position at a sequence number, which is the saved one or later: replays the log in between, and saves nothing. Throws
 * `beyond` for a number beyond the log's head.
 */
export async function positionAt(queue: EventQueue, target: number, beyond: () => Error): Promise<Position> {
  const channelIds = new Set(queue.channelIds);
  const reader = new LogReader(queue.sequence);
  while (reader.sequence < target) {
    const entries = await reader.next(Math.min(entriesPerRead, target - reader.sequence));
    for (const entry of entries) followSubscriptions(channelIds, entry, queue.userId);
    // An event that a client has seen exists, even if an eventually consistent read does not return it yet.
    if (entries.length === 0 && target > (await readHead()).event) throw beyond();
  }
  return { sequence: target, channelIds };
}

const gapPauseMs = 25;
/** Longer than a reader of the log waits for a missing entry before it writes a tombstone. */
const maxGapMs = 3000;

/** All entries in `(after, upTo]`, which exist or are being written; this process then has them in its cache. */
export async function entriesBetween(after: number, upTo: number): Promise<LogEntry[]> {
  const reader = new LogReader(after);
  const entries: LogEntry[] = [];
  for (const until = Date.now() + maxGapMs; reader.sequence < upTo; ) {
    const read = await reader.next(Math.min(entriesPerRead, upTo - reader.sequence));
    entries.push(...read);
    if (read.length > 0) continue;
    if (Date.now() >= until) throw new Error(`The log has no entry ${reader.sequence + 1} yet`);
    await pause(gapPauseMs);
  }
  return entries;
}

/** Saves the position unless it was saved recently. */
export async function touchIfDue(queue: EventQueue, position: Position): Promise<void> {
  if (Date.now() / 1000 - queue.usedAt >= maxUsedAtLagSeconds(queue)) await touch(queue, position);
}

const hasChannelChanges = (queue: EventQueue, channelIds: ReadonlySet<number>) =>
  channelIds.symmetricDifference(queue.channelIds ?? new Set()).size > 0;

/** Saves the position: 1 write unit when the subscriptions are the same as saved. */
async function touch(queue: EventQueue, { sequence, channelIds }: Position) {
  const [savedSequence, channelsChanged] = [queue.sequence, hasChannelChanges(queue, channelIds)];
  Object.assign(queue, { sequence, channelIds: new Set(channelIds), usedAt: nowSeconds() });
  // If another poll moved the cursor or the queue was deleted, the transaction below decides.
  if (!channelsChanged && (await saveQueueCursor(queue, savedSequence))) return;
  const wakeUpWrites = queue.hasWakeUpQueue ? wakeUpQueueWrites(queue, channelIds) : [];
  await updateEventQueue(queue, wakeUpWrites, () => badEventQueueId(queue.id));
}
