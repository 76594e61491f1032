import { handles, worker } from "../../shared/jobs/worker.ts";
import { pushMessage, removeNotifications } from "../../shared/mobile-push/fan-out.ts";
import {
  pushMessageJob,
  registerPushDeviceJob,
  removeNotificationsJob,
  syncPushTokenJob,
} from "../../shared/mobile-push/jobs.ts";
import { registerWithBouncer } from "../../shared/mobile-push/registration.ts";
import { syncWithBouncer } from "../../shared/mobile-push/tokens.ts";
import { clearBrowsersJob, notifyBrowsersJob } from "../../shared/web-push/jobs.ts";
import { clearBrowsers, notifyBrowsers } from "../../shared/web-push/notify-browsers.ts";

/** A notification is useless after a few minutes, whereas a registration is not. */
const registrationDelaysSeconds = [5, 60, 600];

/** Sends notifications and removals to the push bouncer and to browsers' push services, and device registrations to the former. */
export const handler = worker(
  {
    queue: "push",
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    timeoutSeconds: 60,
    uses: { table: "readWrite", sends: ["push"], pushBouncer: true, outgoing: true, secret: true },
  },
  handles(pushMessageJob, ({ message_id, after }) => pushMessage({ messageId: message_id, after })),
  handles(removeNotificationsJob, ({ user_id, message_ids }) => removeNotifications(user_id, message_ids)),
  handles(notifyBrowsersJob, ({ user_id, message_id }, delivery) => notifyBrowsers(user_id, message_id, delivery)),
  handles(clearBrowsersJob, ({ user_id, message_ids }, delivery) => clearBrowsers(user_id, message_ids, delivery)),
  handles(
    registerPushDeviceJob,
    ({ user_id, push_account_id }, delivery) =>
      registerWithBouncer({ userId: user_id, pushAccountId: push_account_id }, delivery),
    registrationDelaysSeconds,
  ),
  handles(
    syncPushTokenJob,
    ({ user_id, kind, token }) => syncWithBouncer({ userId: user_id, kind, token }),
    registrationDelaysSeconds,
  ),
);
