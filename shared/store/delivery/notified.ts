import { getItem } from "../table/table.ts";
import { create, type Write } from "../table/writes.ts";

/** A queue may hand a job over again for as long as it keeps it, 4 days by default. */
const keptSeconds = 8 * 86_400;

const key = (jobId: string, userId: number) => ({ pk: `TOLD#${jobId}`, sk: `USER#${userId}` });

/** Whether someone has had the message that a job sends them; 1 read unit. */
export const wasNotified = async (jobId: string, userId: number) =>
  (await getItem(key(jobId, userId), { consistent: true })) !== undefined;

/** Belongs into the transaction of that message, which fails where it was sent before; 2 write units. */
export const markNotified = (jobId: string, userId: number): Write =>
  create({ ...key(jobId, userId), expiresAt: Math.floor(Date.now() / 1000) + keptSeconds });
