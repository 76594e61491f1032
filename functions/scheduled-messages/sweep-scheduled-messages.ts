import { worker } from "../../shared/jobs/worker.ts";
import { sweepScheduledMessages } from "../../shared/scheduled-messages/jobs.ts";
import { sweep } from "../../shared/scheduled-messages/sweep.ts";

/** Makes up for whoever died between writing a scheduled message and making its schedule. */
export const handler = worker(
  {
    job: sweepScheduledMessages,
    attempts: 3,
    recurring: { rate: "5 minutes", body: {} },
    uses: { table: "read", schedules: ["scheduled-messages"], sends: ["scheduled-messages"] },
  },
  sweep,
);
