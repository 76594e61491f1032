import {
  postEventsJob,
  postInTime,
  retryPostsAfterSeconds,
} from "../../shared/features/events/connections/post-jobs.ts";
import { deliverReminderJob } from "../../shared/messaging/reminders/jobs.ts";
import { deliverScheduledMessageJob } from "../../shared/messaging/scheduled-messages/jobs.ts";
import { wakeClientsJob, wakeInTime } from "../../shared/services/jobs/wake-up-queues.ts";
import { handles, worker } from "../../shared/services/jobs/worker.ts";

/** Delivers scheduled messages and reminders that are due, and notifies clients for whom an event arrived. */
export const handler = worker(
  {
    queue: "deliveries",
    attempts: 5,
    // So that ten thousand clients are woken within seconds.
    concurrency: 10,
    // A whole processor, as functions/events/notify-waiters.ts.
    memoryMb: 1769,
    uses: {
      table: "readWrite",
      secret: true,
      sends: ["outgoing", "background-jobs"],
      wakeUpQueues: "notify",
      connections: "manage",
    },
  },
  // Loaded on demand: they send messages, which wakes for clients do not need.
  handles(deliverScheduledMessageJob, async ({ user_id, id, version }) =>
    (await import("../../shared/messaging/scheduled-messages/delivery.ts")).deliverMessageIfPending({
      userId: user_id,
      id,
      version,
    }),
  ),
  handles(deliverReminderJob, async ({ user_id, id }) =>
    (await import("../../shared/messaging/reminders/reminders.ts")).deliverReminderIfPending(user_id, id),
  ),
  handles(wakeClientsJob, ({ queue_ids, at }) => wakeInTime(queue_ids, at)),
  handles(postEventsJob, postInTime, retryPostsAfterSeconds),
);
