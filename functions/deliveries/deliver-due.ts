import { does, worker } from "../../shared/jobs/worker.ts";
import { deliverIfWaiting as deliverReminderIfWaiting } from "../../shared/reminders/delivery.ts";
import { deliverReminder } from "../../shared/reminders/jobs.ts";
import { deliverIfWaiting } from "../../shared/scheduled-messages/delivery.ts";
import { deliverScheduledMessage } from "../../shared/scheduled-messages/jobs.ts";

/** Sends what was to be sent at a time that has come. */
export const handler = worker(
  {
    queue: "deliveries",
    attempts: 5,
    uses: { table: "readWrite", sends: ["outgoing-webhooks", "push-wakes"], pushBouncer: true },
  },
  does(deliverScheduledMessage, ({ user_id, id, version }) => deliverIfWaiting({ userId: user_id, id, version })),
  does(deliverReminder, ({ user_id, id }) => deliverReminderIfWaiting(user_id, id)),
);
