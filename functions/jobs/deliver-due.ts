import { handles, worker } from "../../shared/jobs/worker.ts";
import { deliverReminderJob } from "../../shared/reminders/jobs.ts";
import { deliverReminderIfPending } from "../../shared/reminders/reminders.ts";
import { deliverMessageIfPending } from "../../shared/scheduled-messages/delivery.ts";
import { deliverScheduledMessageJob } from "../../shared/scheduled-messages/jobs.ts";

/** Delivers scheduled messages and reminders that are due. */
export const handler = worker(
  {
    queue: "deliveries",
    attempts: 5,
    uses: { table: "readWrite", sends: ["outgoing-webhooks", "background-jobs"] },
  },
  handles(deliverScheduledMessageJob, ({ user_id, id, version }) =>
    deliverMessageIfPending({ userId: user_id, id, version }),
  ),
  handles(deliverReminderJob, ({ user_id, id }) => deliverReminderIfPending(user_id, id)),
);
