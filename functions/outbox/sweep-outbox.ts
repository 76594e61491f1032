import { sweepOutbox } from "../../shared/jobs/outbox.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Sends the jobs that a function wrote with its change and did not live to send. */
export const handler = recurring(
  {
    work: "outbox-sweeps",
    rate: "5 minutes",
    uses: { table: "readWrite", sendsToEveryQueue: true },
  },
  sweepOutbox,
);
