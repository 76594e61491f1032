import { wakeUpQueuesUrl } from "../environment.ts";
import { listWakeUpQueueRecords, type WakeUpQueueRecord } from "../store/delivery/wake-up-queues.ts";
import type { LogEntry, LoggedEvent } from "../store/log/entry.ts";
import { hasEvent } from "./audience.ts";
import { concerns, isUrgent } from "./client-events.ts";
import { postToKnown, postToOthers } from "./connections/notify-connections.ts";

/** Posts new events to the connections of their queues, and wakes the clients that wait at their wake-up queues. */

/** How many clients one invocation wakes itself, in about a second. Jobs wake the others, in parallel invocations. */
export const maxWokenDirectly = 250;

/** Notifies every client that one of the entries may concern. May wake clients needlessly, but never misses one. */
export async function notifyWaiters(entries: readonly LogEntry[]): Promise<void> {
  const urgent = entries.filter(hasEvent).filter(isUrgent);
  if (urgent.length === 0) return;
  const begun = await postToKnown(entries);
  try {
    const records = await listWakeUpQueueRecords();
    await Promise.all([
      postToOthers(records, entries, begun),
      wakeUpQueuesUrl() === undefined
        ? undefined
        : wakeConcerned(
            records.filter(({ connectionId }) => connectionId === undefined),
            urgent,
          ),
    ]);
  } finally {
    await begun?.posting;
  }
}

async function wakeConcerned(records: readonly WakeUpQueueRecord[], urgent: readonly LoggedEvent[]): Promise<void> {
  const queueIds = records
    .filter((record) => urgent.some((entry) => concerns(record, entry)))
    .map(({ queueId }) => queueId);
  if (queueIds.length === 0) return;
  const { wake, wakeByJobs } = await import("../jobs/wake-up-queues.ts");
  await Promise.all([wakeByJobs(queueIds.slice(maxWokenDirectly)), wake(queueIds.slice(0, maxWokenDirectly))]);
}
