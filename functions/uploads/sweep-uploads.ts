import { sweepUploads } from "../../shared/files/jobs.ts";
import { sweepFiles } from "../../shared/files/sweep.ts";
import { worker } from "../../shared/jobs/worker.ts";

/** Removes what was uploaded and never linked, and makes up for whoever died between a file and its place in the table. */
export const handler = worker(
  {
    job: sweepUploads,
    attempts: 3,
    timeoutSeconds: 300,
    recurring: { rate: "1 hour", body: {} },
    uses: { table: "readWrite", files: "readWrite" },
  },
  sweepFiles,
);
