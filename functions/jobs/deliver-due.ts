import { handles, worker } from "../../shared/jobs/worker.ts";
import { deliverReminderIfWaiting } from "../../shared/reminders/delivery.ts";
import { deliverReminder } from "../../shared/reminders/jobs.ts";
import { deliverMessageIfWaiting } from "../../shared/scheduled-messages/delivery.ts";
import { deliverScheduledMessage } from "../../shared/scheduled-messages/jobs.ts";

/** Delivers scheduled messages and reminders that are due. */
export const handler = worker(
  {
    queue: "deliveries",
    attempts: 5,
    uses: { table: "readWrite", sends: ["outgoing-webhooks", "chores"] },
  },
  handles(deliverScheduledMessage, ({ user_id, id, version }) =>
    deliverMessageIfWaiting({ userId: user_id, id, version }),
  ),
  handles(deliverReminder, ({ user_id, id }) => deliverReminderIfWaiting(user_id, id)),
);
