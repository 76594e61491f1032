import { randomUUID } from "node:crypto";
import { createRemoval } from "../../store/organization/file-removals.ts";
import { transact } from "../../store/table/transactions.ts";
import { presignDownload, putFile } from "./bucket.ts";

/** A JSON reply that exceeds the maximum size of a Lambda function's response, 6 MB. */
export interface LongReply {
  content: Uint8Array;
  /** Absent if the content is not compressed. */
  encoding?: "gzip";
}

const linkLifetimeSeconds = 60;
/** After this time, the file is deleted. */
const retentionSeconds = 600;

/** Stores a reply in the bucket and returns a presigned URL, with which anyone may read it for a minute. 4 write units. */
export async function storeLongReply({ content, encoding }: LongReply): Promise<string> {
  const file = `replies/${randomUUID()}`;
  // The removal is recorded before the file exists, so that a function that dies in between leaves no orphaned file.
  await transact([createRemoval({ file, dueAt: Date.now() + retentionSeconds * 1000 })]);
  await putFile(file, content, "application/json", encoding);
  return presignDownload(file, {
    contentType: "application/json",
    disposition: "inline",
    cacheControl: "private, no-store",
    seconds: linkLifetimeSeconds,
  });
}
