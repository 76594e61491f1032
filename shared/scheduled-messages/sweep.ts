import { enqueueAll } from "../jobs/queues.ts";
import { findScheduledMessage, listDue, type ScheduledMessage } from "../store/scheduled-messages.ts";
import { arm } from "./actions.ts";
import { deliverScheduledMessage } from "./jobs.ts";

/** Seconds ahead for which schedules are made sure of: two sweeps' distance, so that one may be missed. */
const ahead = 600;
/** Seconds after its time at which a message counts as left behind by its schedule. */
const overdue = 30;

/** Makes the schedules of messages that are due soon (again: that changes nothing) and delivers those left behind. */
export async function sweep(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const due = await listDue(now + ahead);
  const found = await Promise.all(due.map(({ userId, id }) => findScheduledMessage(userId, id)));
  const waiting = found.filter(
    (scheduled): scheduled is ScheduledMessage => scheduled !== undefined && !scheduled.failed,
  );
  await Promise.all(waiting.filter(({ deliverAt }) => deliverAt > now).map(arm));
  const leftBehind = waiting.filter(({ deliverAt }) => deliverAt <= now - overdue);
  await enqueueAll(
    deliverScheduledMessage,
    leftBehind.map(({ userId, id, version }) => ({ user_id: userId, id, version })),
  );
}
