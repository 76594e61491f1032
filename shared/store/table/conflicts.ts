import { backOff, type RetryPolicy, retryPolicy } from "./retries.ts";
import { ConditionFailed } from "./transactions.ts";

/**
 * Optimistic concurrency: a change is planned from the items read, and planned again when another request changed them first.
 */

/** What an attempt returns when another request has changed the items since it read them. */
export const conflict = Symbol("conflict");

interface Options extends Partial<RetryPolicy> {
  /** Which failed conditions are conflicts; by default all. Others are thrown. */
  isConflict?(error: ConditionFailed): boolean;
  /** The error to throw when the last attempt met a conflict too; by default that attempt's own error. */
  exhausted?(): Error;
}

/** Treats a failed condition of the first write as a conflict: by convention, that write changes the item that was read. */
export const firstWriteFailed = ({ failed }: ConditionFailed): boolean => failed.includes(0);

/**
 * Runs `attempt` until it succeeds. An attempt reads its items itself, and reports a conflict by returning `conflict` or
 * throwing ConditionFailed.
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T | typeof conflict>,
  { isConflict = () => true, exhausted, ...policy }: Options = {},
): Promise<T> {
  const { attempts, backoff } = { ...retryPolicy, ...policy };
  for (let count = 1; ; count++) {
    let failure: unknown;
    try {
      const result = await attempt();
      if (result !== conflict) return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed && isConflict(error))) throw error;
      failure = error;
    }
    if (count >= attempts) throw exhausted?.() ?? failure ?? new Error(`Still a conflict after ${count} attempts`);
    await backOff(count, { backoff });
  }
}
