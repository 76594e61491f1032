import { continueExportJob } from "../../shared/features/exports/jobs.ts";
import { recurring } from "../../shared/services/jobs/recurring.ts";

/** Deletes files that no message has linked to for four weeks, and completes interrupted removals and exports. */
export const handler = recurring(
  {
    work: "upload-sweeps",
    rate: "1 hour",
    timeoutSeconds: 300,
    uses: { table: "readWrite", files: "readWrite", sends: [continueExportJob.queue] },
  },
  // Loaded on demand, so that a host which runs the whole fleet starts without the code of exports and S3's client.
  async () => {
    await (await import("../../shared/features/exports/run.ts")).sweepExports();
    await (await import("../../shared/messaging/uploads/sweep.ts")).sweepFiles();
  },
);
