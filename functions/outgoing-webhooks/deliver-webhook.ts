import { handles, worker } from "../../shared/jobs/worker.ts";
import { callService } from "../../shared/outgoing-webhooks/deliver.ts";
import { deliverWebhookJob } from "../../shared/outgoing-webhooks/triggers/jobs.ts";

export const handler = worker(
  {
    queue: "outgoing-webhooks",
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    uses: { table: "readWrite", outgoing: true },
  },
  handles(deliverWebhookJob, ({ message_id, bot_id, trigger }, delivery) =>
    callService({ messageId: message_id, botId: bot_id, trigger }, delivery),
  ),
);
