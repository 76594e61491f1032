import { previewFile } from "../pictures/urls.ts";
import type { Upload } from "../store/uploads.ts";
import { noSuchFile } from "./access.ts";
import { getFile } from "./bucket.ts";
import { canHavePreview, isOverdue, orderPreviews } from "./previews.ts";
import { harmless, type ServedFile, serveFile } from "./serving.ts";

/** The previews that clients may ask for: of a picture that moves, one that does not and one that does. */
const [still, moving] = ["840x560.webp", "840x560-anim.webp"];

/** What a preview's path names: "1/4f/<random>/<name>/840x560.webp". */
export function thumbnailAt(path: string): { pathId: string; moves: boolean } {
  const at = path.lastIndexOf("/");
  const format = path.slice(at + 1);
  if (format !== still && format !== moving) throw noSuchFile();
  return { pathId: path.slice(0, at), moves: format === moving };
}

/**
 * A picture's preview or, where it has none, the picture itself, which clients scale; a browser may keep that only once
 * it is certain that there will be no other.
 */
export async function serveThumbnail(
  upload: Upload,
  moves: boolean,
  range: string | undefined,
): Promise<ServedFile | undefined> {
  if (!upload.contentType.startsWith("image/")) return undefined;
  const name = (moves ? upload.movingPreview : undefined) ?? upload.preview;
  const found = name ? await getFile(previewFile(name)) : undefined;
  if (found)
    return { status: 200, headers: { ...harmless, ...kept, "content-type": "image/webp" }, body: found.content };
  const served = await serveFile(upload, range);
  if (!served || !(await isAwaited(upload))) return served;
  return { ...served, headers: { ...served.headers, "cache-control": "private, no-store" } };
}

const kept = { "cache-control": "private, max-age=3600" };

/** Whether a preview is still to come; one that is overdue is asked for again. */
async function isAwaited(upload: Upload): Promise<boolean> {
  if (upload.preview !== undefined || !canHavePreview(upload)) return false;
  if (isOverdue(upload)) await orderPreviews(upload);
  return true;
}
