import { continueExport } from "../../shared/exports/jobs.ts";
import { giveUp, takeStep } from "../../shared/exports/run.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Writes an organization's data into an archive, one part at a time. */
export const handler = worker(
  {
    job: continueExport,
    attempts: 5,
    retryAfterSeconds: [5, 30, 120, 300],
    timeoutSeconds: 120,
    batchSize: 1,
    concurrency: 2,
    uses: { table: "readWrite", files: "readWrite", sends: [continueExport.queue] },
  },
  async ({ export_id, step }, { isLast }) => {
    try {
      await takeStep(export_id, step);
    } catch (error) {
      if (isLast) await giveUp(export_id);
      throw error;
    }
  },
);
