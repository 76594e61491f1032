import { AsyncLocalStorage } from "node:async_hooks";
import { requestTimedOut } from "../../errors.ts";

/** The running request's deadline in UNIX milliseconds. */
const deadlines = new AsyncLocalStorage<number>();

/** Runs a request that makes no calls to the table after `limitMs`, when its client has stopped waiting for the reply. */
export const withTimeLimit = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  deadlines.run(Date.now() + limitMs, work);

/**
 * Throws when the request's deadline has passed. A change of several steps then stops between two steps, as it does when its
 * function dies, and a sweep or a retry completes it.
 */
export function checkTimeLeft(): void {
  const deadline = deadlines.getStore();
  if (deadline !== undefined && Date.now() >= deadline) throw requestTimedOut();
}
