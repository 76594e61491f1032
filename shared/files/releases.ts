import type { LoggedEvent } from "../store/log.ts";
import { addSpaceUsed, deleteClaim, spaceUsed } from "../store/uploads.ts";
import type { Write } from "../store/writes.ts";
import { contentRemoval } from "./actions.ts";
import { type Known, present } from "./claims.ts";
import { attachmentRemoved, attachmentUpdated } from "./events.ts";

/**
 * What a message's deletion means for the files that it claims: those that no other message links go with it. The
 * writes are void when a file has changed since; without files, nothing is read. At most 3 items for each file, and 1.
 */
export async function planRelease(message: {
  id: number;
  uploads?: readonly string[];
}): Promise<{ writes: Write[]; events: LoggedEvent[] }> {
  const known = await present(message.uploads ?? []);
  if (known.length === 0) return { writes: [], events: [] };
  const last = known.filter(({ upload }) => upload.claims === 1);
  const others = known.filter(({ upload }) => upload.claims !== 1);
  const freed = last.reduce((sum, { upload }) => sum + upload.size, 0);
  const used = (await spaceUsed()) - freed;
  const left = ({ claims }: Known) => claims.filter(({ messageId }) => messageId !== message.id);
  return {
    writes: [
      ...last.flatMap(({ upload }) => contentRemoval(upload)),
      ...others.flatMap(({ upload }) => deleteClaim(upload, message.id, Date.now())),
      ...(freed > 0 ? [addSpaceUsed(-freed)] : []),
    ],
    events: [
      ...last.map(({ upload }) => attachmentRemoved(upload, used)),
      ...others.map((file) => attachmentUpdated(file.upload, left(file), used)),
    ],
  };
}
