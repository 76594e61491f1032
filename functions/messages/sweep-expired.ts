import { findExpired } from "../../shared/messaging/messages/edit/expiry.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Enqueues jobs that delete the messages whose retention period has expired. */
export const handler = recurring(
  {
    work: "message-expiry-sweeps",
    rate: "1 hour",
    timeoutSeconds: 120,
    uses: { table: "read", sends: ["background-jobs"] },
  },
  findExpired,
);
