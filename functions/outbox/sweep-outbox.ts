import { sweepOutbox } from "../../shared/jobs/outbox.ts";
import { jobKind } from "../../shared/jobs/queues.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Sends the jobs that a function wrote with its change and did not live to send. */
export const handler = worker(
  {
    job: jobKind("outbox-sweeps", {}),
    attempts: 3,
    recurring: { rate: "5 minutes", body: {} },
    uses: { table: "readWrite", sendsToEveryQueue: true },
  },
  sweepOutbox,
);
