import { int } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Runs one step of an export; each step enqueues the next. */
export const continueExportJob = jobKind("background-jobs", "continue-export", { export_id: int(), step: int() });
