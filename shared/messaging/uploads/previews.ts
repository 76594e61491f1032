import { enqueue } from "../../services/jobs/queues.ts";
import { maxPixels } from "../../services/pictures/kinds.ts";
import { previewFileKey } from "../../services/pictures/urls.ts";
import type { Upload } from "../../store/organization/uploads.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { makePreviewsJob } from "./jobs.ts";

/** Previews of uploaded images, each stored as a separate object. */

/** The maximum size of a preview in pixels, which `POST /register` tells clients, and the maximum pixels of an original. */
export const previewSize = { width: 840, height: 560, maxPixels };
const scalableTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** After this time, a request for a missing preview enqueues its creation again. */
const overdueAfterMs = 120_000;

/** Whether an image can have a preview: its declared size bounds the cost of decoding. */
export const canHavePreview = ({ contentType, width = 0, height = 0 }: Upload): boolean =>
  scalableTypes.has(contentType) && width * height > 0 && width * height <= previewSize.maxPixels;

/** The creation of an image's previews. A lost job is enqueued again when the preview is requested. */
export const previewCreation = (upload: Upload): FollowUp[] =>
  upload.preview === undefined && canHavePreview(upload)
    ? [{ name: `previews of ${upload.pathId}`, start: () => enqueue(makePreviewsJob, { path_id: upload.pathId }) }]
    : [];

export const isOverdue = (upload: Upload): boolean => upload.createdAt < Date.now() - overdueAfterMs;

export const previewFiles = ({ preview, movingPreview }: Upload): string[] =>
  [preview, movingPreview].flatMap((name) => (name ? [previewFileKey(name)] : []));
