import { does, worker } from "../../shared/jobs/worker.ts";
import { callService } from "../../shared/webhooks/deliver.ts";
import { deliverWebhook } from "../../shared/webhooks/jobs.ts";

export const handler = worker(
  {
    queue: "outgoing-webhooks",
    attempts: 4,
    uses: { table: "readWrite", outgoing: true, sends: ["push-wakes"], pushBouncer: true },
  },
  does(
    deliverWebhook,
    ({ message_id, bot_id, trigger }, delivery) =>
      callService({ messageId: message_id, botId: bot_id, trigger }, delivery),
    [5, 30, 120],
  ),
);
