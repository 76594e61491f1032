import { worker } from "../../shared/jobs/worker.ts";
import { deliverIfWaiting } from "../../shared/scheduled-messages/delivery.ts";
import { deliverScheduledMessage } from "../../shared/scheduled-messages/jobs.ts";

export const handler = worker(
  {
    job: deliverScheduledMessage,
    attempts: 5,
    uses: { table: "readWrite", sends: ["outgoing-webhooks", "push-wakes"], pushBouncer: true },
  },
  async ({ user_id, id, version }) => deliverIfWaiting({ userId: user_id, id, version }),
);
