import { randomUUID } from "node:crypto";
import { createRemoval } from "../store/organization/file-removals.ts";
import { transact } from "../store/table/transactions.ts";
import { presignDownload, putFile } from "./bucket.ts";

/** A JSON reply that exceeds Lambda's limit. */
export interface LongReply {
  content: Uint8Array;
  /** Set if the content is compressed. */
  encoding?: "gzip";
}

const linkSeconds = 60;
const retentionSeconds = 600;

/** Stores a reply in the bucket and returns a link with which anyone may read it for a minute. 4 write units. */
export async function storeLongReply({ content, encoding }: LongReply): Promise<string> {
  const file = `replies/${randomUUID()}`;
  // Scheduled first, so that a function that dies leaves no orphaned file.
  await transact([createRemoval({ file, dueAt: Date.now() + retentionSeconds * 1000 })]);
  await putFile(file, content, "application/json", encoding);
  return presignDownload(file, {
    contentType: "application/json",
    disposition: "inline",
    cacheControl: "private, no-store",
    seconds: linkSeconds,
  });
}
