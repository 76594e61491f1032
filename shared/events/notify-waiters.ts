import { describeError } from "../observability/describe-error.ts";
import { listWakeUpQueueRecords, type WakeUpQueueRecord } from "../store/delivery/wake-up-queues.ts";
import type { LogEntry, LoggedEvent } from "../store/log/entry.ts";
import { hasEvent } from "./audience.ts";
import { mayConcern, mayRevealUsers } from "./client-events.ts";

/** Wakes the clients that wait at their wake-up queues. */

const maxConcurrentSends = 16;

/** Excludes presence, which clients poll for once a minute anyway. */
const isUrgent = ({ event }: LoggedEvent) => event.type !== "presence";

/** Wakes every client that one of the entries may concern. May wake clients needlessly, but never misses one. */
export async function notifyWaiters(entries: readonly LogEntry[]): Promise<void> {
  const urgent = entries.filter(hasEvent).filter(isUrgent);
  if (urgent.length === 0) return;
  const { sendWakeUp } = await import("../jobs/wake-up-queues.ts");
  const wakeUpRecords = (await listWakeUpQueueRecords()).filter((record) =>
    urgent.some((entry) => concerns(record, entry)),
  );
  const failures: unknown[] = [];
  const senders = Array.from({ length: maxConcurrentSends }, async () => {
    for (let record = wakeUpRecords.pop(); record; record = wakeUpRecords.pop())
      await sendWakeUp(record.queueId).catch((error: unknown) => failures.push(describeError(error)));
  });
  await Promise.all(senders);
  // Does not throw: a retry would wake everybody again, and a client that was not woken polls within a minute anyway.
  if (failures.length > 0)
    console.error(JSON.stringify({ wakeUps: "not sent", count: failures.length, error: failures[0] }));
}

function concerns(record: WakeUpQueueRecord, entry: LoggedEvent): boolean {
  const { audience } = entry;
  // Treats every owner as a possible guest, because the record does not hold the role; the cost is a few needless wake-ups.
  if (!mayConcern(record, entry) && !mayRevealUsers(record, entry)) return false;
  if (audience.kind === "users") return audience.userIds.includes(record.userId);
  if (audience.kind !== "channel") return true;
  return (record.channelIds?.has(audience.channelId) ?? true) || audience.userIds?.includes(record.userId) === true;
}
