import { randomUUID } from "node:crypto";
import { createRemoval } from "../store/organization/file-removals.ts";
import { transact } from "../store/table/transactions.ts";
import { linkToRead, putFile } from "./bucket.ts";

/** A reply of JSON that is too long for a function to hand back. */
export interface LongReply {
  content: Uint8Array;
  /** How the content is packed, if it is. */
  encoding?: "gzip";
}

/** Seconds for which the link is good, and after which the next sweep removes the content. */
const linkSeconds = 60;
const keptSeconds = 600;

/** Stores a reply in the bucket and returns a link by which anyone may read it for a minute. 4 write units. */
export async function linkToReply({ content, encoding }: LongReply): Promise<string> {
  const file = `replies/${randomUUID()}`;
  // First, so that a function which dies leaves nothing behind.
  await transact([createRemoval({ file, dueAt: Date.now() + keptSeconds * 1000 })]);
  await putFile(file, content, "application/json", encoding);
  return linkToRead(file, {
    contentType: "application/json",
    disposition: "inline",
    cacheControl: "private, no-store",
    seconds: linkSeconds,
  });
}
