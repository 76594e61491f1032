import { worker } from "../../shared/jobs/worker.ts";
import { syncPushToken } from "../../shared/push/jobs.ts";
import { syncWithBouncer } from "../../shared/push/tokens.ts";

export const handler = worker(
  {
    job: syncPushToken,
    attempts: 4,
    retryAfterSeconds: [5, 60, 600],
    uses: { table: "read", pushBouncer: true },
  },
  async ({ user_id, kind, token }) => syncWithBouncer({ userId: user_id, kind, token }),
);
