import { worker } from "../../shared/jobs/worker.ts";
import { pushMessage } from "../../shared/push/fan-out.ts";
import { pushMessageJob } from "../../shared/push/jobs.ts";

export const handler = worker(
  {
    job: pushMessageJob,
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    timeoutSeconds: 60,
    uses: { table: "readWrite", sends: ["push-messages", "push-removals"], pushBouncer: true },
  },
  ({ message_id, after }) => pushMessage({ messageId: message_id, after }),
);
