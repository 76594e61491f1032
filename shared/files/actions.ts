import { takeIds } from "../store/counters.ts";
import { cancelRemoval, createRemoval } from "../store/file-removals.ts";
import { commit } from "../store/log.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import {
  addSpaceUsed,
  createPendingUpload,
  createUpload,
  deletePendingUpload,
  deleteUpload,
  type PendingUpload,
  spaceUsed,
  type Upload,
} from "../store/uploads.ts";
import type { Write } from "../store/writes.ts";
import { linkToStore, putFile } from "./bucket.ts";
import { type ContentFacts, contentFacts, lookedAt } from "./content-types.ts";
import { attachmentAdded, attachmentRemoved } from "./events.ts";
import { displayName, newPathId, uploadFile } from "./names.ts";
import { orderPreviews, previewFiles } from "./previews.ts";

/** Milliseconds after which a content that nobody took into use is removed. */
const abandonedAfter = 3_600_000;
/** Milliseconds for which a link to store a file is good. */
const linkLasts = 900_000;

/**
 * Stores a file and returns it; undefined when there is no room for it. The content comes first, and before it a note
 * to remove it: whatever dies, no file is listed without its content, and no content stays unlisted. 14 write units.
 */
export async function addUpload(
  ownerId: number,
  given: { name: string; content: Uint8Array },
  quota: number | undefined,
): Promise<Upload | undefined> {
  const pathId = newPathId(given.name);
  const removal = { file: uploadFile(pathId), pathId, dueAt: Date.now() + abandonedAfter };
  const [id] = await Promise.all([takeIds("attachment"), transact([createRemoval(removal)])]);
  const facts = contentFacts(given.content.subarray(0, lookedAt), given.name);
  await putFile(removal.file, given.content, facts.contentType);
  const named = { id, ownerId, pathId, name: displayName(given.name), size: given.content.length };
  return listUpload(named, facts, [cancelRemoval(removal)], quota);
}

/** Writes a file whose content is there into the owner's list; undefined when there is no room for it. */
async function listUpload(
  named: Pick<Upload, "id" | "ownerId" | "pathId" | "name" | "size">,
  facts: ContentFacts,
  others: Write[],
  quota: number | undefined,
): Promise<Upload | undefined> {
  const upload: Upload = { ...named, ...facts, createdAt: Date.now(), claims: 0 };
  const used = (await spaceUsed()) + upload.size;
  try {
    await commit({ events: 1 }, () => ({
      writes: [addSpaceUsed(upload.size, quota), createUpload(upload), ...others],
      events: [attachmentAdded(upload, used)],
      result: upload,
    }));
    await orderPreviews(upload);
    return upload;
  } catch (error) {
    if (error instanceof ConditionFailed && error.failed.includes(0)) return undefined;
    throw error;
  }
}

/** A link by which a client stores a file of exactly `size` bytes; until the client says that it did, nothing is listed. */
export async function offerUpload(ownerId: number, name: string, size: number) {
  const pathId = newPathId(name);
  const now = Date.now();
  const pending: PendingUpload = {
    id: await takeIds("attachment"),
    ownerId,
    pathId,
    name: displayName(name),
    size,
    linkEndsAt: now + linkLasts,
    removeAt: now + abandonedAfter,
  };
  await transact([createRemoval(removalOf(pending)), createPendingUpload(pending)]);
  const link = await linkToStore(uploadFile(pathId), size, linkLasts / 1000);
  return { pending, link };
}

const removalOf = ({ pathId, removeAt }: PendingUpload) => ({ file: uploadFile(pathId), pathId, dueAt: removeAt });

/** Lists a file that its owner has stored by a link; undefined when there is no room for it. */
export const completeUpload = (pending: PendingUpload, facts: ContentFacts, quota: number | undefined) => {
  const { id, ownerId, pathId, name, size } = pending;
  const taken = [deletePendingUpload(pending), cancelRemoval(removalOf(pending))];
  return listUpload({ id, ownerId, pathId, name, size }, facts, taken, quota);
};

/**
 * Takes a file out of its owner's list, whatever messages link it, with a note to remove its content; false when it
 * has changed since it was read. 11 write units.
 */
export async function removeUpload(upload: Upload): Promise<boolean> {
  const used = (await spaceUsed()) - upload.size;
  try {
    await commit({ events: 1 }, () => ({
      writes: [...contentRemoval(upload), addSpaceUsed(-upload.size)],
      events: [attachmentRemoved(upload, used)],
      result: undefined,
    }));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** A file leaves its owner's list, and its content follows; a link to store it may still be good for a while. */
export const contentRemoval = (upload: Upload): Write[] => [
  deleteUpload(upload),
  createRemoval({
    file: uploadFile(upload.pathId),
    pathId: upload.pathId,
    others: previewFiles(upload),
    dueAt: Math.max(Date.now(), upload.createdAt + linkLasts),
  }),
];
