import { worker } from "../../shared/jobs/worker.ts";
import { indexMessagesJob } from "../../shared/messages/index-job.ts";
import { indexNewMessages } from "../../shared/messages/search-index.ts";

/** Keeps the search index up; searches look through what it has not reached yet themselves. */
export const handler = worker(
  {
    job: indexMessagesJob,
    attempts: 3,
    concurrency: 2,
    recurring: { rate: "1 minute", body: {} },
    uses: { table: "readWrite" },
  },
  () => indexNewMessages(),
);
