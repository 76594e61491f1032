import { postEventsJob, postInTime, retryPostsAfterSeconds } from "../../shared/events/connections/post-jobs.ts";
import { wakeClientsJob, wakeInTime } from "../../shared/jobs/wake-up-queues.ts";
import { handles, worker } from "../../shared/jobs/worker.ts";
import { deliverReminderJob } from "../../shared/reminders/jobs.ts";
import { deliverScheduledMessageJob } from "../../shared/scheduled-messages/jobs.ts";

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
    (await import("../../shared/scheduled-messages/delivery.ts")).deliverMessageIfPending({
      userId: user_id,
      id,
      version,
    }),
  ),
  handles(deliverReminderJob, async ({ user_id, id }) =>
    (await import("../../shared/reminders/reminders.ts")).deliverReminderIfPending(user_id, id),
  ),
  handles(wakeClientsJob, ({ queue_ids, at }) => wakeInTime(queue_ids, at)),
  handles(postEventsJob, postInTime, retryPostsAfterSeconds),
);
