import { continueExport } from "../../shared/exports/jobs.ts";
import { sweepExports } from "../../shared/exports/run.ts";
import { sweepUploads } from "../../shared/files/jobs.ts";
import { sweepFiles } from "../../shared/files/sweep.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Removes what was uploaded and never linked, and makes up for whoever died over a file or an export. */
export const handler = worker(
  {
    job: sweepUploads,
    attempts: 3,
    timeoutSeconds: 300,
    recurring: { rate: "1 hour", body: {} },
    uses: { table: "readWrite", files: "readWrite", sends: [continueExport.queue] },
  },
  async () => {
    await sweepExports();
    await sweepFiles();
  },
);
