import { worker } from "../../shared/jobs/worker.ts";
import { registerPushDevice } from "../../shared/push/jobs.ts";
import { registerWithBouncer } from "../../shared/push/registration.ts";

export const handler = worker(
  {
    job: registerPushDevice,
    attempts: 4,
    retryAfterSeconds: [5, 60, 600],
    uses: { table: "readWrite", pushBouncer: true },
  },
  async ({ user_id, push_account_id }, delivery) =>
    registerWithBouncer({ userId: user_id, pushAccountId: push_account_id }, delivery),
);
