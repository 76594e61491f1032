import { worker } from "../../shared/jobs/worker.ts";
import { deliverIfWaiting } from "../../shared/reminders/delivery.ts";
import { deliverReminder } from "../../shared/reminders/jobs.ts";

export const handler = worker(
  { job: deliverReminder, attempts: 5, uses: { table: "readWrite", sends: ["push-wakes"], pushBouncer: true } },
  async ({ user_id, id }) => deliverIfWaiting(user_id, id),
);
