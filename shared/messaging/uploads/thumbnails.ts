import { getFile } from "../../services/blobs/bucket.ts";
import { hasVersion } from "../../services/http/etag.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { RawReply } from "../../services/http/raw-reply.ts";
import { previewFileKey } from "../../services/pictures/urls.ts";
import type { Upload } from "../../store/organization/uploads.ts";
import { startFollowUps } from "../../store/table/follow-ups.ts";
import { noSuchFile } from "./access.ts";
import { canHavePreview, isOverdue, previewCreation } from "./previews.ts";
import { sandboxHeaders, serveFile, validatedHeaders } from "./serving.ts";

/** The previews that clients may request; animated images have a still and an animated one. */
const stillFormat = "840x560.webp";
const animatedFormat = "840x560-anim.webp";

/** Parses a preview's path, such as "1/4f/<random>/<name>/840x560.webp"; throws 404 for an unknown format. */
export function parseThumbnailPath(path: string): { pathId: string; isAnimated: boolean } {
  const slash = path.lastIndexOf("/");
  const format = path.slice(slash + 1);
  if (format !== stillFormat && format !== animatedFormat) throw noSuchFile();
  return { pathId: path.slice(0, slash), isAnimated: format === animatedFormat };
}

/**
 * Serves an image's preview or, without one, the image itself, which clients scale. The image is cacheable only
 * once it is certain that no preview will follow. Throws 404 for other files.
 */
export async function serveThumbnail(
  upload: Upload,
  isAnimated: boolean,
  request: Pick<HttpRequest, "headers">,
): Promise<RawReply> {
  if (!upload.contentType.startsWith("image/")) throw noSuchFile();
  const name = (isAnimated ? upload.movingPreview : undefined) ?? upload.preview;
  if (name !== undefined) {
    const headers = { ...sandboxHeaders, ...validatedHeaders(name), "content-type": "image/webp" };
    if (hasVersion(request, headers.etag)) return new RawReply(304, headers);
    const preview = await getFile(previewFileKey(name));
    if (preview) return new RawReply(200, headers, preview.content);
  }
  const original = await serveFile(upload, request);
  if (!(await isPreviewPending(upload))) return original;
  return new RawReply(original.status, { ...original.headers, "cache-control": "private, no-store" }, original.body);
}

/** Whether a preview is still being created; requests an overdue one again. */
async function isPreviewPending(upload: Upload): Promise<boolean> {
  if (upload.preview !== undefined || !canHavePreview(upload)) return false;
  if (isOverdue(upload)) await startFollowUps(previewCreation(upload));
  return true;
}
