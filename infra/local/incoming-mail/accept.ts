import { randomUUID } from "node:crypto";
import { nowSeconds } from "../../../shared/base/time.ts";
import { incomingMailFolder, receiveMailJob } from "../../../shared/messaging/incoming-mail/jobs.ts";
import { putFile } from "../../../shared/services/blobs/bucket.ts";
import { enqueue } from "../../../shared/services/jobs/queues.ts";

/** The largest mail that is accepted; most mail servers send no larger ones. */
export const maxMailBytes = 25 * 1024 * 1024;

/** Stores a mail for the worker. When this resolves, the mail is safe: whoever has sent it may forget it. */
export async function acceptMail(content: Uint8Array, from: string, to: readonly string[]): Promise<void> {
  const file = `${incomingMailFolder}${randomUUID()}`;
  await putFile(file, content, "message/rfc822");
  await enqueue(receiveMailJob, { file, from, to: [...to], received_at: nowSeconds() });
}
