import { text } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

export const makePreviewsJob = jobKind("previews", "make-previews", { path_id: text() });
