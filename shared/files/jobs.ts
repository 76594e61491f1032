import { jobKind } from "../jobs/queues.ts";

/** Removes files that nobody uses, and contents that nobody lists. */
export const sweepUploads = jobKind("upload-sweeps", {});
