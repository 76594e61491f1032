import {
  pushMessageJob,
  registerPushDeviceJob,
  removeNotificationsJob,
  syncPushTokenJob,
} from "../../shared/messaging/mobile-push/jobs.ts";
import { deliverWebhookJob } from "../../shared/messaging/outgoing-webhooks/triggers/jobs.ts";
import { clearBrowsersJob, notifyBrowsersJob } from "../../shared/messaging/web-push/jobs.ts";
import { handles, worker } from "../../shared/services/jobs/worker.ts";

/** A notification is useless after a few minutes, whereas a registration is not. */
const registrationDelaysSeconds = [5, 60, 600];

/**
 * Calls services that others run: those of outgoing webhook bots, the push bouncer, and the push services of browsers. Each
 * request has a deadline, and the jobs of an invocation run side by side, so that a slow service delays only its own.
 * Each kind imports its code on demand, as in run-background-job.ts.
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
  handles(deliverWebhookJob, async ({ message_id, bot_id, trigger }, delivery) =>
    (await import("../../shared/messaging/outgoing-webhooks/deliver.ts")).callService(
      { messageId: message_id, botId: bot_id, trigger },
      delivery,
    ),
  ),
  handles(pushMessageJob, async ({ message_id, after }) =>
    (await import("../../shared/messaging/mobile-push/fan-out.ts")).pushMessage({ messageId: message_id, after }),
  ),
  handles(removeNotificationsJob, async ({ user_id, message_ids }) =>
    (await import("../../shared/messaging/mobile-push/fan-out.ts")).removeNotifications(user_id, message_ids),
  ),
  handles(notifyBrowsersJob, async ({ user_id, message_id }, delivery) =>
    (await import("../../shared/messaging/web-push/notify-browsers.ts")).notifyBrowsers(user_id, message_id, delivery),
  ),
  handles(clearBrowsersJob, async ({ user_id, message_ids }, delivery) =>
    (await import("../../shared/messaging/web-push/notify-browsers.ts")).clearBrowsers(user_id, message_ids, delivery),
  ),
  handles(
    registerPushDeviceJob,
    async ({ user_id, push_account_id }, delivery) =>
      (await import("../../shared/messaging/mobile-push/registration.ts")).registerWithBouncer(
        { userId: user_id, pushAccountId: push_account_id },
        delivery,
      ),
    registrationDelaysSeconds,
  ),
  handles(
    syncPushTokenJob,
    async ({ user_id, kind, token }) =>
      (await import("../../shared/messaging/mobile-push/tokens.ts")).syncWithBouncer({ userId: user_id, kind, token }),
    registrationDelaysSeconds,
  ),
);
