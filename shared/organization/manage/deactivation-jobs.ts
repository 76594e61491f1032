import { jobKind } from "../../jobs/queues.ts";

/** Marks every account as the organization is, deactivated or not; doing it again changes nothing. */
export const lockAccountsJob = jobKind("chores", "realm-deactivation", {});
