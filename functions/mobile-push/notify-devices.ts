import { does, worker } from "../../shared/jobs/worker.ts";
import { pushMessage, removeNotifications } from "../../shared/push/fan-out.ts";
import { pushMessageJob, registerPushDevice, removeNotificationsJob, syncPushToken } from "../../shared/push/jobs.ts";
import { registerWithBouncer } from "../../shared/push/registration.ts";
import { syncWithBouncer } from "../../shared/push/tokens.ts";

/** News are worth little after a few minutes; a device's registration is worth waiting for the bouncer. */
const [news, registrations] = [
  [5, 30, 120],
  [5, 60, 600],
];

/** Tells the push bouncer of messages, of what is no longer to be shown, and of devices. */
export const handler = worker(
  {
    queue: "push",
    attempts: 4,
    timeoutSeconds: 60,
    serves: ["push"],
    uses: { table: "readWrite", sends: ["push"], pushBouncer: true },
  },
  does(pushMessageJob, ({ message_id, after }) => pushMessage({ messageId: message_id, after }), news),
  does(removeNotificationsJob, ({ user_id, message_ids }) => removeNotifications(user_id, message_ids), news),
  does(
    registerPushDevice,
    ({ user_id, push_account_id }, delivery) =>
      registerWithBouncer({ userId: user_id, pushAccountId: push_account_id }, delivery),
    registrations,
  ),
  does(syncPushToken, ({ user_id, kind, token }) => syncWithBouncer({ userId: user_id, kind, token }), registrations),
);
