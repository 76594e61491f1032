import { jobKind } from "../jobs/queues.ts";
import { int } from "../schema/params.ts";

/** Runs one step of an export; each step enqueues the next. */
export const continueExportJob = jobKind("background-jobs", "continue-export", { export_id: int(), step: int() });
