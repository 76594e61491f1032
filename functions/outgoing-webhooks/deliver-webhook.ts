import { worker } from "../../shared/jobs/worker.ts";
import { callService } from "../../shared/webhooks/deliver.ts";
import { deliverWebhook } from "../../shared/webhooks/jobs.ts";

export const handler = worker(
  {
    job: deliverWebhook,
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    uses: { table: "readWrite", outgoing: true, sends: ["push-wakes"], pushBouncer: true },
  },
  async ({ message_id, bot_id, trigger }, delivery) =>
    callService({ messageId: message_id, botId: bot_id, trigger }, delivery),
);
