import type { LoggedEvent } from "../store/log/entry.ts";
import { addSpaceUsed, deleteClaim, findSpaceUsed } from "../store/organization/uploads.ts";
import type { Write } from "../store/table/writes.ts";
import { uploadDeletionWrites } from "./actions.ts";
import { type LinkedFile, listLinkedFiles } from "./claims.ts";
import { attachmentRemovedEvent, attachmentUpdatedEvent } from "./events.ts";

/**
 * Plans the release of a deleted message's files: files that no other message links to are deleted with it. The writes fail if
 * a file has changed since. Reads nothing without files; at most 3 items per file, and 1.
 */
export async function planRelease(message: {
  id: number;
  uploads?: readonly string[];
}): Promise<{ writes: Write[]; events: LoggedEvent[] }> {
  const known = await listLinkedFiles(message.uploads ?? []);
  if (known.length === 0) return { writes: [], events: [] };
  const last = known.filter(({ upload }) => upload.claims === 1);
  const others = known.filter(({ upload }) => upload.claims !== 1);
  const freed = last.reduce((sum, { upload }) => sum + upload.size, 0);
  const used = (await findSpaceUsed()) - freed;
  const left = ({ claims }: LinkedFile) => claims.filter(({ messageId }) => messageId !== message.id);
  return {
    writes: [
      ...last.flatMap(({ upload }) => uploadDeletionWrites(upload)),
      ...others.flatMap(({ upload }) => deleteClaim(upload, message.id, Date.now())),
      ...(freed > 0 ? [addSpaceUsed(-freed)] : []),
    ],
    events: [
      ...last.map(({ upload }) => attachmentRemovedEvent(upload, used)),
      ...others.map((file) => attachmentUpdatedEvent(file.upload, left(file), used)),
    ],
  };
}
