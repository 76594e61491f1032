import { jobKind } from "../jobs/queues.ts";
import { text } from "../schema/params.ts";

/** Creates the previews of an uploaded image. */
export const makePreviewsJob = jobKind("previews", "make-previews", { path_id: text() });
