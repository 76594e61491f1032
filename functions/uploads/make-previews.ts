import { shrinkEmojiJob } from "../../shared/emoji/jobs.ts";
import { shrinkEmoji } from "../../shared/emoji/shrink.ts";
import { handles, worker } from "../../shared/jobs/worker.ts";
import { resizePictureJob } from "../../shared/pictures/jobs.ts";
import { addSizes } from "../../shared/pictures/sizes.ts";
import { addPreviews } from "../../shared/uploads/add-previews.ts";
import { makePreviewsJob } from "../../shared/uploads/jobs.ts";

/** Creates previews one at a time, as a large image takes some hundred MB of memory. */
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
  handles(makePreviewsJob, ({ path_id }) => addPreviews(path_id)),
  handles(shrinkEmojiJob, ({ files }) => shrinkEmoji(files)),
  handles(resizePictureJob, ({ picture, kind }) => addSizes(picture, kind)),
);
