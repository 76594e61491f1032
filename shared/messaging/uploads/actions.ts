import { presignUpload, putFile } from "../../services/blobs/bucket.ts";
import { type DetectedContent, detectContent, maxSniffedBytes } from "../../services/blobs/content-types.ts";
import { displayName, newPathId, uploadFileKey } from "../../services/blobs/names.ts";
import type { ReceivedFile } from "../../services/http/event.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { cancelRemoval, createRemoval } from "../../store/organization/file-removals.ts";
import {
  addSpaceUsed,
  createPendingUpload,
  createUpload,
  deletePendingUpload,
  deleteUpload,
  getSpaceUsedBytes,
  type PendingUpload,
  type Upload,
} from "../../store/organization/uploads.ts";
import { takeIds } from "../../store/table/counters.ts";
import { transact } from "../../store/table/transactions.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";
import { attachmentAddedEvent, attachmentRemovedEvent } from "./events.ts";
import { previewCreation, previewFiles } from "./previews.ts";
import { overQuota } from "./rules.ts";

/** After this time, content without a file record is deleted. */
const abandonedAfterMs = 3_600_000;
/** How long a presigned upload URL is valid. */
const linkLifetimeMs = 900_000;

/**
 * Stores a file and returns it; throws if the quota is exceeded. Writes a removal record first, then the content, then the file
 * record: after a crash, no file is listed without its content, and no unlisted content remains. Costs 14 write units.
 */
export async function addUpload(ownerId: number, file: ReceivedFile, quotaBytes: number | undefined): Promise<Upload> {
  const pathId = newPathId(file.name);
  const removal = { file: uploadFileKey(pathId), pathId, dueAt: Date.now() + abandonedAfterMs };
  const [id] = await Promise.all([takeIds("attachment"), transact([createRemoval(removal)])]);
  const detected = detectContent(await file.read(0, maxSniffedBytes), file.name);
  await storeContent(removal.file, file, detected.contentType);
  const record = { id, ownerId, pathId, name: displayName(file.name), size: file.size };
  return recordUpload(record, detected, [cancelRemoval(removal)], quotaBytes);
}

/** So much of a larger file is in memory at a time. */
const partBytes = 8 * 1024 * 1024;

async function storeContent(key: string, file: ReceivedFile, contentType: string): Promise<void> {
  if (file.size <= partBytes) return putFile(key, await file.read(0, file.size), contentType);
  const { beginMultipartUpload, completeMultipartUpload, putPart } = await import("../../services/blobs/multipart.ts");
  const uploadId = await beginMultipartUpload(key, contentType);
  const parts = [];
  for (let start = 0; start < file.size; start += partBytes) {
    const part = await putPart(key, uploadId, parts.length + 1, await file.read(start, start + partBytes));
    if (!part) throw new Error("The multipart upload is gone");
    parts.push(part);
  }
  await completeMultipartUpload(key, uploadId, parts);
}

/** Records a stored file as its owner's; throws a 400 if the quota is exceeded. */
async function recordUpload(
  record: Pick<Upload, "id" | "ownerId" | "pathId" | "name" | "size">,
  detected: DetectedContent,
  furtherWrites: Write[],
  quotaBytes: number | undefined,
): Promise<Upload> {
  const upload: Upload = { ...record, ...detected, createdAt: Date.now(), claims: 0 };
  const spaceUsed = (await getSpaceUsedBytes()) + upload.size;
  await commit({
    writes: [withRefusal(addSpaceUsed(upload.size, quotaBytes), overQuota), createUpload(upload), ...furtherWrites],
    events: [attachmentAddedEvent(upload, spaceUsed)],
    followUps: previewCreation(upload),
  });
  return upload;
}

/** A presigned URL to store a file of exactly `size` bytes; the file is recorded when the client completes the upload. */
export async function offerUpload(ownerId: number, name: string, size: number) {
  const pathId = newPathId(name);
  const now = Date.now();
  const pending: PendingUpload = {
    id: await takeIds("attachment"),
    ownerId,
    pathId,
    name: displayName(name),
    size,
    linkEndsAt: now + linkLifetimeMs,
    removeAt: now + abandonedAfterMs,
  };
  await transact([createRemoval(toFileRemoval(pending)), createPendingUpload(pending)]);
  const link = await presignUpload(uploadFileKey(pathId), size, linkLifetimeMs / 1000);
  return { pending, link };
}

const toFileRemoval = ({ pathId, removeAt }: PendingUpload) => ({
  file: uploadFileKey(pathId),
  pathId,
  dueAt: removeAt,
});

/** Records a file that its owner stored through a presigned URL; throws a 400 if the quota is exceeded. */
export const completeUpload = (pending: PendingUpload, detected: DetectedContent, quotaBytes: number | undefined) => {
  const { id, ownerId, pathId, name, size } = pending;
  const cleanup = [deletePendingUpload(pending), cancelRemoval(toFileRemoval(pending))];
  return recordUpload({ id, ownerId, pathId, name, size }, detected, cleanup, quotaBytes);
};

/**
 * Deletes a file's record, even if messages link to it, and writes a removal record for its content. Conflicts if a message links to
 * it meanwhile. 11 write units.
 */
export async function removeUpload(upload: Upload): Promise<Change> {
  const spaceUsed = (await getSpaceUsedBytes()) - upload.size;
  return {
    writes: [...uploadDeletionWrites(upload), addSpaceUsed(-upload.size)],
    events: [attachmentRemovedEvent(upload, spaceUsed)],
  };
}

/** The writes that delete a file's record and schedule the removal of its content for after any presigned URL has expired. */
export const uploadDeletionWrites = (upload: Upload): Write[] => [
  deleteUpload(upload),
  createRemoval({
    file: uploadFileKey(upload.pathId),
    pathId: upload.pathId,
    others: previewFiles(upload),
    dueAt: Math.max(Date.now(), upload.createdAt + linkLifetimeMs),
  }),
];
