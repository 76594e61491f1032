import { sweepOutbox } from "../../shared/jobs/outbox.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Sends jobs from the outbox whose function died between its transaction and sending them. */
export const handler = recurring(
  {
    work: "outbox-sweeps",
    rate: "5 minutes",
    uses: { table: "readWrite", sendsToEveryQueue: true },
  },
  sweepOutbox,
);
