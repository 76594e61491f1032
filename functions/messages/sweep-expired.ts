import { recurring } from "../../shared/jobs/recurring.ts";
import { findExpired } from "../../shared/messages/expiry.ts";

/** Finds messages that channels or the organization no longer keep. */
export const handler = recurring(
  {
    work: "message-expiry-sweeps",
    rate: "1 hour",
    timeoutSeconds: 120,
    uses: { table: "read", sends: ["chores"] },
  },
  findExpired,
);
