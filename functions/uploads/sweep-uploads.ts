import { continueExport } from "../../shared/exports/jobs.ts";
import { sweepExports } from "../../shared/exports/run.ts";
import { sweepFiles } from "../../shared/files/sweep.ts";
import { recurring } from "../../shared/jobs/recurring.ts";

/** Removes what was uploaded and never linked, and makes up for whoever died over a file or an export. */
export const handler = recurring(
  {
    work: "upload-sweeps",
    rate: "1 hour",
    timeoutSeconds: 300,
    uses: { table: "readWrite", files: "readWrite", sends: [continueExport.queue] },
  },
  async () => {
    await sweepExports();
    await sweepFiles();
  },
);
