import { badRequest } from "../../base/errors.ts";
import { findFileSize, getFile } from "../../services/blobs/bucket.ts";
import { type DetectedContent, detectContent, maxSniffedBytes } from "../../services/blobs/content-types.ts";
import { uploadFileKey } from "../../services/blobs/names.ts";
import type { PendingUpload } from "../../store/organization/uploads.ts";

/** Detects the content type of a file that a client stored through a presigned URL; refuses an incomplete file. */
export async function detectStoredContent({ pathId, name, size }: PendingUpload): Promise<DetectedContent> {
  const file = uploadFileKey(pathId);
  if ((await findFileSize(file)) !== size) throw badRequest("The file has not been stored yet.");
  // S3 refuses ranges of empty files.
  const beginning = size === 0 ? undefined : await getFile(file, `bytes=0-${maxSniffedBytes - 1}`);
  return detectContent(beginning?.content ?? new Uint8Array(), name);
}
