import { tellSubscribedJob } from "../../shared/channels/jobs.ts";
import { tellSubscribed } from "../../shared/channels/tell.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Tells people by direct messages to which channels someone else has subscribed them. */
export const handler = worker(
  { job: tellSubscribedJob, attempts: 5, timeoutSeconds: 60, uses: { table: "readWrite" } },
  tellSubscribed,
);
