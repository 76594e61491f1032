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
import { deliverWebhookJob } from "../../shared/outgoing-webhooks/triggers/jobs.ts";
import { clearBrowsersJob, notifyBrowsersJob } from "../../shared/web-push/jobs.ts";
import { clearBrowsers, notifyBrowsers } from "../../shared/web-push/notify-browsers.ts";

/** A notification is useless after a few minutes, whereas a registration is not. */
const registrationDelaysSeconds = [5, 60, 600];

/**
 * Calls services that others run: those of outgoing webhook bots, the push bouncer, and the push services of browsers. Each
 * request has a deadline, and the jobs of an invocation run side by side, so that a slow service delays only its own.
 */
export const handler = worker(
  {
    queue: "outgoing",
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    timeoutSeconds: 60,
    // A hundred jobs at once: services that let every request wait for its deadline of ten seconds leave the others a place.
    concurrency: 10,
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true, outgoing: true, secret: true },
  },
  // Loaded on demand: it renders the service's answer, which notifications do not need.
  handles(deliverWebhookJob, async ({ message_id, bot_id, trigger }, delivery) =>
    (await import("../../shared/outgoing-webhooks/deliver.ts")).callService(
      { messageId: message_id, botId: bot_id, trigger },
      delivery,
    ),
  ),
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
