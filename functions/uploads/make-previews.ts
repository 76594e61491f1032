import { addPreviews } from "../../shared/files/add-previews.ts";
import { makePreviews, makeSizes } from "../../shared/files/jobs.ts";
import { does, worker } from "../../shared/jobs/worker.ts";
import { addSizes } from "../../shared/pictures/sizes.ts";

/** Makes pictures smaller, one at a time: a large one takes some hundred MB. */
export const handler = worker(
  {
    queue: "previews",
    attempts: 3,
    timeoutSeconds: 60,
    memoryMb: 1024,
    batchSize: 1,
    concurrency: 2,
    uses: { table: "readWrite", files: "readWrite" },
  },
  does(makePreviews, ({ path_id }) => addPreviews(path_id)),
  does(makeSizes, ({ picture, kind }) => addSizes(picture, kind)),
);
