import { text } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Removes files that nobody uses, and contents that nobody lists. */
export const sweepUploads = jobKind("upload-sweeps", {});

/** Makes a picture smaller, for those who are shown it in a message. */
export const makePreviews = jobKind("previews", { path_id: text() });
