import { recurring } from "../../shared/jobs/recurring.ts";
import { findExpired } from "../../shared/messages/edit/expiry.ts";

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
