import { Unavailable } from "../../base/aws/unavailable.ts";
import { withConsistentReads } from "./consistency.ts";
import { withRequestScope } from "./recent-writes.ts";
import { backOff, type RetryPolicy, retryPolicy } from "./retries.ts";
import { ConditionFailed } from "./transactions.ts";
import type { Item, Refusal } from "./writes.ts";

/**
 * Optimistic concurrency: a change is planned from the items read, and planned again when another request changed them first.
 */

interface Options extends Partial<RetryPolicy> {
  /** The error to throw when the last attempt met a conflict too; by default Unavailable. */
  exhausted?(): Error;
}

/**
 * Runs `attempt` until it succeeds. An attempt reads its items itself, and throws ConditionFailed when another request has changed
 * them since. After that, its reads by key are strongly consistent, and its queries corrected by the log's end as it is then, so
 * that they see what the other request wrote.
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  { exhausted, ...policy }: Options = {},
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await (count === 1 ? attempt() : withConsistentReads(() => withRequestScope(attempt)));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    if (!(await backOff(count, { ...retryPolicy, ...policy })))
      throw exhausted?.() ?? new Unavailable(`Still a conflict after ${count} attempts`);
  }
}

/** Awaits a transaction; false, instead of ConditionFailed, when the condition of a write without `refusal` did not hold. */
export const succeeds = (transaction: Promise<unknown>): Promise<boolean> => falseOn(ConditionFailed, transaction);

const falseOn = (failure: typeof ConditionFailed | typeof AlreadyDone, transaction: Promise<unknown>) =>
  transaction.then(
    () => true,
    (error) => {
      if (error instanceof failure) return false;
      throw error;
    },
  );

/** Another run has made the same change already. */
export class AlreadyDone extends Error {
  readonly existing: Item | undefined;
  constructor(existing: Item | undefined) {
    super("Another run has made this change already");
    this.existing = existing;
  }
}

/** For `refusal` of the write that tells the runs apart, when other conditions of the transaction may fail for other reasons. */
export const alreadyDone: Refusal = (existing) => new AlreadyDone(existing);

/** Awaits a transaction; false when a write with `alreadyDone` shows that another run came first. */
export const succeedsOnce = (transaction: Promise<unknown>): Promise<boolean> => falseOn(AlreadyDone, transaction);
