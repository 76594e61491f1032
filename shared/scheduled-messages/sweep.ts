import { enqueueAll } from "../jobs/queues.ts";
import { findScheduledMessage, listDue, type ScheduledMessage } from "../store/scheduled-messages.ts";
import { arm } from "./actions.ts";
import { deliverScheduledMessage } from "./jobs.ts";

/** Seconds ahead for which schedules are made sure of: two sweeps' distance, so that one may be missed. */
const horizon = 600;
/** Seconds after its time at which a message counts as left behind by its schedule. */
const overdue = 30;

/** Makes the schedules of messages that are due soon (again: that changes nothing) and delivers those left behind. */
export async function sweep(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const due = await listDue(now + horizon);
  const found = await Promise.all(due.map(({ userId, id }) => findScheduledMessage(userId, id)));
  const waiting = found.filter(
    (scheduled): scheduled is ScheduledMessage => scheduled !== undefined && !scheduled.failed,
  );
  const leftBehind = waiting.filter(({ deliverAt }) => deliverAt <= now - overdue);
  await enqueueAll(
    deliverScheduledMessage,
    leftBehind.map(({ userId, id, version }) => ({ user_id: userId, id, version })),
  );
  // After those: a schedule that cannot be made must not keep back what waits already.
  const ahead = waiting.filter(({ deliverAt }) => deliverAt > now);
  const failures: unknown[] = [];
  for (let start = 0; start < ahead.length; start += 10) {
    const armed = await Promise.allSettled(ahead.slice(start, start + 10).map(arm));
    failures.push(...armed.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules could not be made`);
}
