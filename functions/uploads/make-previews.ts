import { shrinkEmojiJob } from "../../shared/core/emoji/jobs.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { handles, worker } from "../../shared/services/jobs/worker.ts";
import { resizePictureJob } from "../../shared/services/pictures/jobs.ts";

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
  handles(makePreviewsJob, async ({ path_id }) =>
    (await import("../../shared/messaging/uploads/add-previews.ts")).addPreviews(path_id),
  ),
  handles(shrinkEmojiJob, async ({ files }) => (await import("../../shared/core/emoji/shrink.ts")).shrinkEmoji(files)),
  handles(resizePictureJob, async ({ picture, kind }) =>
    (await import("../../shared/services/pictures/sizes.ts")).addSizes(picture, kind),
  ),
);
