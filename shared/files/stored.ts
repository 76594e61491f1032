import type { PendingUpload } from "../store/uploads.ts";
import { getFile, sizeOfFile } from "./bucket.ts";
import { type ContentFacts, contentFacts, lookedAt } from "./content-types.ts";
import { uploadFile } from "./names.ts";

/** What a client has stored by a link, as its beginning tells; undefined while there is nothing. */
export async function storedFacts({
  pathId,
  name,
}: PendingUpload): Promise<{ size: number; facts: ContentFacts } | undefined> {
  const file = uploadFile(pathId);
  const size = await sizeOfFile(file);
  if (size === undefined) return undefined;
  // A range of an empty file is an error to S3.
  const beginning = size === 0 ? undefined : await getFile(file, `bytes=0-${lookedAt - 1}`);
  return { size, facts: contentFacts(beginning?.content ?? new Uint8Array(), name) };
}
