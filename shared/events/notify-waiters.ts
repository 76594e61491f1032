import { listWakeUpQueueRecords, type WakeUpQueueRecord } from "../store/delivery/wake-up-queues.ts";
import type { LogEntry, LoggedEvent } from "../store/log/entry.ts";
import { hasEvent } from "./audience.ts";
import { mayConcern, mayRevealUsers } from "./client-events.ts";

/** Wakes the clients that wait at their wake-up queues. */

/** How many clients one invocation wakes itself, in about a second. Jobs wake the others, in parallel invocations. */
export const maxWokenDirectly = 250;

/** Excludes presence, which clients poll for once a minute anyway. */
const isUrgent = ({ event }: LoggedEvent) => event.type !== "presence";

/** Wakes every client that one of the entries may concern. May wake clients needlessly, but never misses one. */
export async function notifyWaiters(entries: readonly LogEntry[]): Promise<void> {
  const urgent = entries.filter(hasEvent).filter(isUrgent);
  if (urgent.length === 0) return;
  const queueIds = (await listWakeUpQueueRecords())
    .filter((record) => urgent.some((entry) => concerns(record, entry)))
    .map(({ queueId }) => queueId);
  if (queueIds.length === 0) return;
  const { wake, wakeByJobs } = await import("../jobs/wake-up-queues.ts");
  await Promise.all([wakeByJobs(queueIds.slice(maxWokenDirectly)), wake(queueIds.slice(0, maxWokenDirectly))]);
}

function concerns(record: WakeUpQueueRecord, entry: LoggedEvent): boolean {
  const { audience } = entry;
  // Treats every owner as a possible guest, because the record does not hold the role; the cost is a few needless wake-ups.
  if (!mayConcern(record, entry) && !mayRevealUsers(record, entry)) return false;
  if (audience.kind === "users") return audience.userIds.includes(record.userId);
  if (audience.kind !== "channel") return true;
  return (record.channelIds?.has(audience.channelId) ?? true) || audience.userIds?.includes(record.userId) === true;
}
