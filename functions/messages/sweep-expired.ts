import { worker } from "../../shared/jobs/worker.ts";
import { findExpired } from "../../shared/messages/expiry.ts";
import { sweepExpired } from "../../shared/messages/expiry-jobs.ts";

/** Finds messages that channels or the organization no longer keep. */
export const handler = worker(
  {
    job: sweepExpired,
    attempts: 3,
    timeoutSeconds: 120,
    recurring: { rate: "1 hour", body: {} },
    uses: { table: "read", sends: ["message-expiry"] },
  },
  findExpired,
);
