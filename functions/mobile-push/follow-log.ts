import { worker } from "../../shared/jobs/worker.ts";
import { followLog } from "../../shared/push/follow.ts";
import { followLogJob } from "../../shared/push/jobs.ts";

export const handler = worker(
  {
    job: followLogJob,
    attempts: 3,
    concurrency: 2,
    recurring: { rate: "1 minute", body: {} },
    uses: {
      table: "readWrite",
      sends: ["push-messages", "push-removals", "missed-messages"],
      pushBouncer: true,
      mailFrom: true,
    },
  },
  () => followLog(),
);
