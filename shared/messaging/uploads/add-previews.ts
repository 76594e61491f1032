import { randomBytes } from "node:crypto";
import { getFile, putFile } from "../../services/blobs/bucket.ts";
import { uploadFileKey } from "../../services/blobs/names.ts";
import { scaleDown } from "../../services/pictures/scaling.ts";
import { previewFileKey } from "../../services/pictures/urls.ts";
import { cancelRemoval, createRemoval } from "../../store/organization/file-removals.ts";
import { findUpload, setPreviews } from "../../store/organization/uploads.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { canHavePreview, previewSize } from "./previews.ts";

/** After this time, a stored preview without a reference is deleted. */
const abandonedAfterMs = 3_600_000;

/**
 * Creates the previews of an image, or records that it cannot have any. Writes removal records first, then the contents,
 * so that a crash leaves no orphaned contents.
 */
export async function addPreviews(pathId: string): Promise<void> {
  const upload = await findUpload(pathId);
  if (!upload || upload.preview !== undefined || !canHavePreview(upload)) return;
  const found = await getFile(uploadFileKey(pathId));
  if (!found) return;
  const scaled = await scaleDown(found.content, previewSize);
  // Images that were deleted or got previews meanwhile are ignored.
  if (!scaled) return void (await succeeds(transact([setPreviews(pathId, { preview: "" })])));
  const contents = [scaled.still, ...(scaled.moving ? [scaled.moving] : [])];
  const [preview = "", movingPreview] = contents.map(() => `${randomBytes(20).toString("hex")}.webp`);
  const previews = { preview, ...(movingPreview !== undefined && { movingPreview }) };
  const dueAt = Date.now() + abandonedAfterMs;
  const removals = Object.values(previews).map((name) => ({ file: previewFileKey(name), dueAt }));
  await transact(removals.map(createRemoval));
  await Promise.all(removals.map(({ file }, index) => putFile(file, contents[index] as Uint8Array, "image/webp")));
  await succeeds(transact([setPreviews(pathId, previews), ...removals.map(cancelRemoval)]));
}
