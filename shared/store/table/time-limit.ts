import { requestTimedOut } from "../../base/errors.ts";
import { InvocationValue } from "../../base/invocation.ts";

/** The running request's deadline in UNIX milliseconds. */
const deadlines = new InvocationValue<number>("deadline");

/** Runs a request that makes no calls to the table after `deadline` (UNIX milliseconds), when it must reply. */
export const withDeadline = <T>(deadline: number, work: () => Promise<T>): Promise<T> => deadlines.run(deadline, work);

/** Whether the running request may still make calls in `ms` milliseconds. */
export function hasTimeLeft(ms = 0): boolean {
  const deadline = deadlines.get();
  return deadline === undefined || Date.now() + ms < deadline;
}

/** For a call of the SDK that must not be in flight after `deadline` (UNIX milliseconds) or the running request's time limit. */
export const endingAt = (deadline: number): { abortSignal: AbortSignal } => {
  const end = Math.min(deadline, deadlines.get() ?? deadline);
  return { abortSignal: AbortSignal.timeout(Math.max(0, end - Date.now())) };
};

/**
 * Throws when the request's deadline has passed. A change of several steps then stops between two steps, as it does when its
 * function dies, and a sweep or a retry completes it.
 */
export function checkTimeLeft(): void {
  if (!hasTimeLeft()) throw requestTimedOut();
}
