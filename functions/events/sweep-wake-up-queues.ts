import { sweepWakeUpQueues } from "../../shared/events/wake-up-queues.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Deletes wake-up queues whose event queue has expired: DynamoDB expires items, but SQS does not expire queues. */
export const handler = recurring(
  {
    work: "wake-up-queue-sweeps",
    rate: "5 minutes",
    waiting: "wake-up-queue",
    uses: { table: "readWrite", wakeUpQueues: "delete" },
  },
  sweepWakeUpQueues,
);
