import { requestTimedOut } from "../../errors.ts";
import { InvocationValue } from "../../invocation.ts";

/** The running request's deadline in UNIX milliseconds. */
const deadlines = new InvocationValue<number>("deadline");

/** Runs a request that makes no calls to the table after `limitMs`, when its client has stopped waiting for the reply. */
export const withTimeLimit = <T>(limitMs: number, work: () => Promise<T>): Promise<T> =>
  deadlines.run(Date.now() + limitMs, work);

/**
 * Throws when the request's deadline has passed. A change of several steps then stops between two steps, as it does when its
 * function dies, and a sweep or a retry completes it.
 */
export function checkTimeLeft(): void {
  const deadline = deadlines.get();
  if (deadline !== undefined && Date.now() >= deadline) throw requestTimedOut();
}
