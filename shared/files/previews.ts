import { enqueue } from "../jobs/queues.ts";
import { followUp } from "../jobs/schedules.ts";
import { mostPixels } from "../pictures/kinds.ts";
import { previewFile } from "../pictures/urls.ts";
import type { Upload } from "../store/uploads.ts";
import { makePreviews } from "./jobs.ts";

/** Pictures made smaller for messages, each stored under a name of its own beside the picture that was uploaded. */

/** The size that clients are told of at registration, in pixels, and how many a picture may have itself. */
export const previewSize = { width: 840, height: 560, mostPixels };
/** Kinds of pictures that are made smaller. */
const scalable = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Milliseconds after which whoever misses a preview asks for it once more. */
const overdueAfter = 120_000;

/** Whether a preview may be made at all: what the picture says of its size bounds what decoding it can take. */
export const canHavePreview = ({ contentType, width = 0, height = 0 }: Upload): boolean =>
  scalable.has(contentType) && width * height > 0 && width * height <= previewSize.mostPixels;

/** Asks for the previews of a picture. What is lost on the way is asked for again by whoever misses it. */
export async function orderPreviews(upload: Upload): Promise<void> {
  if (upload.preview === undefined && canHavePreview(upload))
    await followUp(() => enqueue(makePreviews, { path_id: upload.pathId }));
}

/** Whether a preview should have been there by now. */
export const isOverdue = (upload: Upload, now = Date.now()): boolean => upload.createdAt < now - overdueAfter;

/** The keys of a picture's previews. */
export const previewFiles = ({ preview, movingPreview }: Upload): string[] =>
  [preview, movingPreview].flatMap((name) => (name ? [previewFile(name)] : []));
