import { countTraffic } from "../../shared/channels/count-traffic.ts";
import { jobKind } from "../../shared/jobs/queues.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Counts messages by channel and day out of the log, so that sending one does not have to. */
export const handler = worker(
  {
    job: jobKind("channel-traffic", {}),
    attempts: 3,
    timeoutSeconds: 120,
    concurrency: 2,
    recurring: { rate: "1 hour", body: {} },
    uses: { table: "readWrite" },
  },
  async () => countTraffic(Date.now() + 90_000),
);
