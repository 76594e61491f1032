import { type ChangePart, noChange } from "../../store/log/log.ts";
import type { Message } from "../../store/messages/messages.ts";
import { addSpaceUsed, deleteClaim, getSpaceUsedBytes } from "../../store/organization/uploads.ts";
import { uploadDeletionWrites } from "./actions.ts";
import { type LinkedFile, listLinkedFiles } from "./claims.ts";
import { attachmentRemovedEvent, attachmentUpdatedEvent } from "./events.ts";

/**
 * Plans the release of a deleted message's files: files that no other message links to are deleted as well. The writes
 * fail if a file has changed since. Reads nothing without files. At most 3 items per file, and 1 for the total size.
 */
export async function planRelease(message: Pick<Message, "id" | "uploads">): Promise<ChangePart> {
  const files = await listLinkedFiles(message.uploads ?? []);
  if (files.length === 0) return noChange;
  const deletedFiles = files.filter(({ upload }) => upload.claims === 1);
  const keptFiles = files.filter(({ upload }) => upload.claims !== 1);
  const freedBytes = deletedFiles.reduce((sum, { upload }) => sum + upload.size, 0);
  const spaceUsed = (await getSpaceUsedBytes()) - freedBytes;
  const remainingClaims = ({ claims }: LinkedFile) => claims.filter(({ messageId }) => messageId !== message.id);
  return {
    writes: [
      ...deletedFiles.flatMap(({ upload }) => uploadDeletionWrites(upload)),
      ...keptFiles.flatMap(({ upload }) => deleteClaim(upload, message.id, Date.now())),
      ...(freedBytes > 0 ? [addSpaceUsed(-freedBytes)] : []),
    ],
    events: [
      ...deletedFiles.map(({ upload }) => attachmentRemovedEvent(upload, spaceUsed)),
      ...keptFiles.map((file) => attachmentUpdatedEvent(file.upload, remainingClaims(file), spaceUsed)),
    ],
  };
}
