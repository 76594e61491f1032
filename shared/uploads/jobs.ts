import { jobKind } from "../jobs/queues.ts";
import { text } from "../schema/params.ts";

export const makePreviewsJob = jobKind("previews", "make-previews", { path_id: text() });
