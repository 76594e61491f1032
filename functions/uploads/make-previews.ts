import { addPreviews } from "../../shared/files/add-previews.ts";
import { makePreviews } from "../../shared/files/jobs.ts";
import { worker } from "../../shared/jobs/worker.ts";
import { addSizes } from "../../shared/pictures/sizes.ts";

/** Makes pictures smaller, one at a time: a large one takes some hundred MB. */
export const handler = worker(
  {
    job: makePreviews,
    attempts: 3,
    timeoutSeconds: 60,
    memoryMb: 1024,
    batchSize: 1,
    concurrency: 2,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ path_id, picture, kind }) => {
    if (path_id !== undefined) await addPreviews(path_id);
    if (picture !== undefined && kind !== undefined) await addSizes(picture, kind);
  },
);
