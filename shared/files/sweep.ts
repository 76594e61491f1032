import { unclaimedFileSeconds } from "../settings.ts";
import { beginRemoval, endRemoval, type FileRemoval, listRemovals } from "../store/file-removals.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { deleteClaims, findUploads, listUnclaimed } from "../store/uploads.ts";
import { removeUpload } from "./actions.ts";
import { deleteFile } from "./bucket.ts";

/** What one sweep does at most; the rest waits for the next. */
const most = 500;

/** Takes files out of use that no message has linked for four weeks, then removes contents whose time has come. */
export async function sweepFiles(): Promise<void> {
  const now = Date.now();
  await removeUnclaimed(now - unclaimedFileSeconds * 1000);
  await removeContents(await listRemovals(now, most));
}

/** Takes files out of use that no message has linked since `before` (UNIX milliseconds). */
export async function removeUnclaimed(before: number): Promise<void> {
  // Linked since, or gone: the write then changes nothing.
  for (const upload of await findUploads(await listUnclaimed(before, most)))
    if (upload?.claims === 0) await removeUpload(upload);
}

/** Removes contents, each unless it was taken into use; one that cannot be removed does not hold up the others. */
export async function removeContents(removals: readonly FileRemoval[]): Promise<void> {
  const failures: unknown[] = [];
  for (const removal of removals) await removeContent(removal).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
}

/** Dying on the way is made up for by the next sweep. */
async function removeContent(removal: FileRemoval): Promise<void> {
  try {
    await beginRemoval(removal);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    throw error;
  }
  await deleteFile(removal.file);
  await Promise.all((removal.others ?? []).map(deleteFile));
  if (removal.pathId !== undefined) await deleteClaims(removal.pathId);
  await endRemoval(removal);
}
