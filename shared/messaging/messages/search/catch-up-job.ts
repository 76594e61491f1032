import { jobKind } from "../../../services/jobs/queues.ts";

/** Builds the search index on. */
export const continueIndexJob = jobKind("background-jobs", "continue-search-index", {});
