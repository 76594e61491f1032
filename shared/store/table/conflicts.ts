import { backOff, type RetryPolicy, retryPolicy } from "./retries.ts";
import { ConditionFailed } from "./transactions.ts";

/** Optimistic concurrency: a change is planned from what was read, and planned again when another request changed it first. */

/** What an attempt returns when another request has changed the items since it read them. */
export const conflict = Symbol("conflict");

interface Options extends Partial<RetryPolicy> {
  /** Which failed conditions are conflicts; all are where it is absent. Others are thrown. */
  isConflict?(error: ConditionFailed): boolean;
  /** What is thrown when the last attempt met a conflict too. The last attempt's own error where it is absent. */
  exhausted?(): Error;
}

/** The usual meaning of a conflict: the condition of the first write did not hold, the item itself having changed. */
export const firstWriteFailed = ({ failed }: ConditionFailed): boolean => failed.includes(0);

/**
 * Runs `attempt`, which reads anew each time, until it meets no conflict: it returns `conflict` or throws
 * ConditionFailed when it does.
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
