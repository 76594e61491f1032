import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { getItem } from "../table/reads.ts";
import { create, type Write } from "../table/writes.ts";

/** Exceeds the retention of a queue (4 days by default), during which SQS may deliver a job again. */
const retentionSeconds = 8 * secondsPerDay;

const key = (jobId: string, userId: number) => ({ pk: `TOLD#${jobId}`, sk: `USER#${userId}` });

/** Whether a user has received the message that a job sends; 1 read unit. */
export const wasNotified = async (jobId: string, userId: number) => (await getItem(key(jobId, userId))) !== undefined;

/** Must be part of the message's transaction, which then fails if the message was sent before; 2 write units. */
export const markNotified = (jobId: string, userId: number): Write =>
  create({ ...key(jobId, userId), expiresAt: nowSeconds() + retentionSeconds });
