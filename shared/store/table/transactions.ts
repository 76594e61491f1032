import { randomUUID } from "node:crypto";
import { isThrottled, Unavailable } from "../../base/aws/unavailable.ts";
import { tooLongToStore } from "../../base/errors.ts";
import { isCanceled } from "../../base/table-port/port.ts";
import { recordUnits } from "./calls.ts";
import { transactWrites } from "./client.ts";
import { type FollowUp, followUpWrites, startFollowUps } from "./follow-ups.ts";
import { backOff, type RetryPolicy, retryPolicy } from "./retries.ts";
import { forgetStarted } from "./shared-reads.ts";
import { endingAt } from "./time-limit.ts";
import type { Item, Refusal, Write } from "./writes.ts";

/** The condition of a write without `refusal` did not hold; nothing was written. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
}

/**
 * Makes all writes or none (at most 100 items, 4 MB): 2 write units for each KB of each item. When conditions do not hold, the
 * first write with such a condition decides the error: its `refusal`, or that of the transaction, or ConditionFailed. Throws an
 * ApiError when an item would exceed 400 KB. Repeats a transaction that is throttled or conflicts with another one. Afterwards
 * starts `followUps`, whose writes are part of the transaction.
 */
export async function transact(
  writes: readonly Write[],
  { refusal, followUps = [] }: { refusal?: Refusal | undefined; followUps?: readonly FollowUp[] } = {},
): Promise<void> {
  const failure = await tryTransact([...writes, ...followUpWrites(followUps)], refusal);
  if (failure) throw failure.error;
  await startFollowUps(followUps);
}

/** Why nothing was written: the condition of `write` does not hold, or without it, an item is too long. */
export interface Failure {
  write?: Write | undefined;
  /** The item that `write` found. */
  existing?: Item | undefined;
  error: Error;
}

/**
 * Like `transact`, but returns the failure; still throws when the table throttles until the retries of `policy` end, and when no
 * reply comes: then the writes may have been made.
 */
export async function tryTransact(
  writes: readonly Write[],
  refusal?: Refusal,
  policy: RetryPolicy = retryPolicy,
): Promise<Failure | undefined> {
  // Makes the SDK's retries and ours idempotent: if an attempt took effect but its reply was lost, the next with the same token
  // succeeds.
  let token = randomUUID();
  const { deadline } = policy;
  for (let attempt = 1; ; attempt++) {
    if (deadline !== undefined && Date.now() >= deadline)
      throw new Unavailable("The transaction's deadline has passed");
    try {
      const { units } = await transactWrites({ writes, token }, deadline === undefined ? {} : endingAt(deadline));
      recordUnits("writeUnits", units);
      forgetStarted(writes.map((write) => (write.kind === "put" ? write.item : write.key)));
      return undefined;
    } catch (error) {
      if (isSizeError(error)) return { error: tooLongToStore() };
      const reasons = reasonsOf(error);
      const failed = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      if (failed >= 0) {
        const [write, reason] = [writes[failed], reasons[failed]];
        const existing = reason?.existing;
        const toError = write?.refusal ?? refusal;
        return { write, existing, error: toError ? toError(existing) : new ConditionFailed() };
      }
      if (!isThrottled(error) || !(await backOff(attempt, policy))) throw error;
      if (isCanceled(error)) token = randomUUID();
    }
  }
}

const reasonsOf = (error: unknown) => (isCanceled(error) ? error.CancellationReasons : []);

/** Whether DynamoDB rejected the size of an item or of the transaction. */
function isSizeError(error: unknown): boolean {
  const messages = [(error as Error).message, ...reasonsOf(error).map(({ Message = "" }) => Message)];
  return messages.some((message) => /item size|size.*exceeded|4 ?MB/i.test(message));
}
