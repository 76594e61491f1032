import { sweepBells } from "../../shared/events/bells.ts";
import { sweepBellsJob } from "../../shared/events/jobs.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Event queues expire by themselves; their bells do not. */
export const handler = worker(
  {
    job: sweepBellsJob,
    attempts: 3,
    concurrency: 2,
    recurring: { rate: "5 minutes", body: {} },
    waiting: "bell",
    uses: { table: "readWrite", bells: "remove" },
  },
  sweepBells,
);
