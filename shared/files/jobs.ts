import { text } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Makes a picture smaller, for those who are shown it in a message. */
export const makePreviews = jobKind("previews", { path_id: text() });
