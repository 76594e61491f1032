import { jobKind } from "../../jobs/queues.ts";

/** Updates the deactivation mark of every account to match the organization. Idempotent. */
export const lockAccountsJob = jobKind("background-jobs", "realm-deactivation", {});
