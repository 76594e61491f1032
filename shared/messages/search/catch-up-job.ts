import { jobKind } from "../../jobs/queues.ts";

/** Builds the search index on. */
export const continueIndexJob = jobKind("background-jobs", "continue-search-index", {});
