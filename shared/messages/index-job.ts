import { jobKind } from "../jobs/queues.ts";

/** Indexes what the log says since the last time. */
export const indexMessagesJob = jobKind("message-index", {});
