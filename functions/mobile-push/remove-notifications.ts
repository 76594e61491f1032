import { worker } from "../../shared/jobs/worker.ts";
import { removeNotifications } from "../../shared/push/fan-out.ts";
import { removeNotificationsJob } from "../../shared/push/jobs.ts";

export const handler = worker(
  {
    job: removeNotificationsJob,
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    uses: { table: "readWrite", pushBouncer: true },
  },
  ({ user_id, message_ids }) => removeNotifications(user_id, message_ids),
);
