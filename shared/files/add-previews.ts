import { randomBytes } from "node:crypto";
import { scaledDown } from "../pictures/scaling.ts";
import { previewFile } from "../pictures/urls.ts";
import { cancelRemoval, createRemoval } from "../store/file-removals.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { findUpload, setPreviews } from "../store/uploads.ts";
import { getFile, putFile } from "./bucket.ts";
import { uploadFile } from "./names.ts";
import { canHavePreview, previewSize } from "./previews.ts";

/** Milliseconds after which a preview that was stored and not taken into use is removed. */
const abandonedAfter = 3_600_000;

/**
 * Makes the previews of a picture that has none yet, or notes that none can be made. Their contents come first, and
 * before them notes to remove them, as with uploads.
 */
export async function addPreviews(pathId: string): Promise<void> {
  const upload = await findUpload(pathId);
  if (!upload || upload.preview !== undefined || !canHavePreview(upload)) return;
  const found = await getFile(uploadFile(pathId));
  if (!found) return;
  const scaled = await scaledDown(found.content, previewSize);
  if (!scaled) return unlessGone(() => transact([setPreviews(pathId, { preview: "" })]));
  const contents = [scaled.still, ...(scaled.moving ? [scaled.moving] : [])];
  const [preview = "", movingPreview] = contents.map(() => `${randomBytes(20).toString("hex")}.webp`);
  const named = { preview, ...(movingPreview !== undefined && { movingPreview }) };
  const dueAt = Date.now() + abandonedAfter;
  const removals = Object.values(named).map((name) => ({ file: previewFile(name), dueAt }));
  await transact(removals.map(createRemoval));
  await Promise.all(removals.map(({ file }, place) => putFile(file, contents[place] as Uint8Array, "image/webp")));
  await unlessGone(() => transact([setPreviews(pathId, named), ...removals.map(cancelRemoval)]));
}

/** A picture that is gone, or was given previews meanwhile, needs none. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
