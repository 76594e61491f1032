import { AsyncLocalStorage } from "node:async_hooks";
import { ApiError } from "../../errors.ts";

/** UNIX milliseconds after which the running request makes no more calls to the table. */
const deadlines = new AsyncLocalStorage<number>();

/** Runs a request that makes no call to the table after `limitMs`: what nobody waits for any more must not cost anything. */
export const withTimeLimit = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  deadlines.run(Date.now() + limitMs, work);

/**
 * Refuses the next call to the table when the request's time is over. A change of several steps then stops between two of
 * them, as it does when its function dies, and is finished in the same way.
 */
export function checkTimeLeft(): void {
  const deadline = deadlines.getStore();
  if (deadline !== undefined && Date.now() >= deadline)
    throw new ApiError("REQUEST_TIMED_OUT", "The request took too long. Ask for less, or try again.");
}
