import { sweepWakeUpQueues } from "../../shared/features/events/wake-up-queues.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/**
 * Deletes wake-up queues and their records when their event queue has expired: DynamoDB expires items, but SQS does not expire
 * queues.
 */
export const handler = recurring(
  {
    work: "wake-up-queue-sweeps",
    rate: "5 minutes",
    uses: { table: "readWrite", wakeUpQueues: "delete" },
  },
  sweepWakeUpQueues,
);
