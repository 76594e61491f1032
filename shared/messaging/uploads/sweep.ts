import { unclaimedFileSeconds } from "../../base/limits.ts";
import { deleteFile } from "../../services/blobs/bucket.ts";
import { commit } from "../../store/log/log.ts";
import { beginRemoval, endRemoval, type FileRemoval, listRemovals } from "../../store/organization/file-removals.ts";
import { deleteClaims, findUploads, listUnclaimed } from "../../store/organization/uploads.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { removeUpload } from "./actions.ts";

/** The maximum number of files that one sweep handles; the next sweep continues. */
const maxFilesPerSweep = 500;

/** Deletes files that no message has linked to for four weeks, then contents that are due for removal. */
export async function sweepFiles(): Promise<void> {
  const now = Date.now();
  await removeUnclaimed(now - unclaimedFileSeconds * 1000);
  await removeContents(await listRemovals(now, maxFilesPerSweep));
}

/** Deletes files that no message has linked to since `before` (UNIX milliseconds). */
export async function removeUnclaimed(before: number): Promise<void> {
  // The conditional write changes nothing if the file was linked or deleted meanwhile.
  for (const upload of await findUploads(await listUnclaimed(before, maxFilesPerSweep)))
    if (upload?.claims === 0) await succeeds(commit(await removeUpload(upload)));
}

/** Deletes contents that are not in use. Failures are thrown together, once all removals have been tried. */
export async function removeContents(removals: readonly FileRemoval[]): Promise<void> {
  const failures: unknown[] = [];
  for (const removal of removals) await removeContent(removal).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
}

/** Does nothing if the removal was cancelled meanwhile. The next sweep completes an interrupted removal. */
async function removeContent(removal: FileRemoval): Promise<void> {
  if (!(await succeeds(beginRemoval(removal)))) return;
  await deleteFile(removal.file);
  await Promise.all((removal.others ?? []).map(deleteFile));
  if (removal.pathId !== undefined) await deleteClaims(removal.pathId);
  await endRemoval(removal);
}
