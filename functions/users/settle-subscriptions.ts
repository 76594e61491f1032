import { worker } from "../../shared/jobs/worker.ts";
import { settleSubscriptionsJob } from "../../shared/users/jobs.ts";
import { settleSubscriptions } from "../../shared/users/settle.ts";

/** Makes up for whoever died between a user's deactivation or reactivation and their channels. */
export const handler = worker(
  { job: settleSubscriptionsJob, attempts: 5, uses: { table: "readWrite" } },
  async ({ user_id }) => settleSubscriptions(user_id),
);
