import { int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Takes one step of an export; each step asks for the next. */
export const continueExport = jobKind("chores", "exports", { export_id: int(), step: int() });
