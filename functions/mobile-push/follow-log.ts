import { does, worker } from "../../shared/jobs/worker.ts";
import { followLog } from "../../shared/push/follow.ts";
import { followLogJob } from "../../shared/push/jobs.ts";

export const handler = worker(
  {
    queue: "push-wakes",
    attempts: 3,
    concurrency: 2,
    recurring: { rate: "1 minute", kind: followLogJob },
    serves: ["push", "mail"],
    uses: { table: "readWrite", sends: ["mail", "push"], pushBouncer: true, mailFrom: true },
  },
  does(followLogJob, () => followLog()),
);
