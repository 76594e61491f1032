import { enqueue } from "../../../services/jobs/queues.ts";
import { hasTimeLeft } from "../../../store/table/time-limit.ts";
import { continueIndexJob } from "./catch-up-job.ts";
import { indexMore, isIndexBehind } from "./indexing.ts";

/** Builds the search index on while nothing moves the log, such as after an upgrade to a version whose index has another form. */

/** Of one run; a step takes seconds. */
const budgetMs = 60_000;
const maxStepMs = 30_000;

/** Starts a job if the index is behind. To be called regularly: so an index whose job was lost is continued, too. */
export async function startIndexIfBehind(): Promise<void> {
  if (await isIndexBehind()) await enqueue(continueIndexJob, {});
}

/** Indexes in steps, each stored by itself, and leaves what is not done in time to another job. Idempotent. */
export async function continueIndex(): Promise<void> {
  const end = Date.now() + budgetMs;
  while (await indexMore()) {
    if (Date.now() < end && hasTimeLeft(maxStepMs)) continue;
    await enqueue(continueIndexJob, {});
    return;
  }
}
