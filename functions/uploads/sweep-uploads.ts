import { continueExportJob } from "../../shared/exports/jobs.ts";
import { sweepExports } from "../../shared/exports/run.ts";
import { recurring } from "../../shared/jobs/recurring.ts";
import { sweepFiles } from "../../shared/uploads/sweep.ts";

/** Deletes files that no message has linked to for four weeks, and completes interrupted removals and exports. */
export const handler = recurring(
  {
    work: "upload-sweeps",
    rate: "1 hour",
    timeoutSeconds: 300,
    uses: { table: "readWrite", files: "readWrite", sends: [continueExportJob.queue] },
  },
  async () => {
    await sweepExports();
    await sweepFiles();
  },
);
