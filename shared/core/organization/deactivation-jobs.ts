import { jobKind } from "../../services/jobs/queues.ts";

/** Updates the deactivation mark of every account to match the organization. Idempotent. */
export const syncDeactivationMarksJob = jobKind("background-jobs", "sync-deactivation-marks", {});
