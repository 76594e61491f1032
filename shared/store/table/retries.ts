import { setTimeout as pause } from "node:timers/promises";
import { isThrottled } from "../../base/aws/unavailable.ts";
import { hasTimeLeft } from "./time-limit.ts";

/** How often, and after what delays, an operation is retried. */
export interface RetryPolicy {
  attempts: number;
  /** Milliseconds to wait after a failed attempt; the first attempt is 1. */
  backoff(attempt: number): number;
  /** UNIX milliseconds. No attempt begins later, and one that is in flight then is aborted. */
  deadline?: number;
}

/**
 * Exponential back-off with full jitter. All attempts together wait 6 seconds on average and 13 at most, which fits into a
 * request.
 */
export const retryPolicy: RetryPolicy = {
  attempts: 30,
  backoff: (attempt) => Math.random() * Math.min(10 * 2 ** attempt, 500),
};

/**
 * Waits after a failed attempt, until the next one may begin. Returns false at once when it was the last: no attempt is left, or
 * the request's time limit or the policy's deadline would pass before it.
 */
export async function backOff(
  attempt: number,
  { attempts, backoff, deadline = Number.POSITIVE_INFINITY }: RetryPolicy = retryPolicy,
): Promise<boolean> {
  const delayMs = backoff(attempt);
  if (attempt >= attempts || !hasTimeLeft(delayMs) || Date.now() + delayMs >= deadline) return false;
  await pause(delayMs);
  return true;
}

/** Repeats a call that is throttled beyond the SDK's own retries. */
export async function retryThrottled<T>(call: () => Promise<T>, policy = retryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isThrottled(error) || !(await backOff(attempt, policy))) throw error;
    }
  }
}
