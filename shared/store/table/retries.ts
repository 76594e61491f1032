/** How often, and after what pauses, an operation is retried after a conflict. */
export interface RetryPolicy {
  attempts: number;
  /** Milliseconds to wait after an attempt that failed, the first of which is 1. */
  backoff(attempt: number): number;
}

/**
 * The one policy: exponential back-off with full jitter. All attempts together wait 6 seconds on average and 12 at most,
 * which a request has.
 */
export const retryPolicy: RetryPolicy = {
  attempts: 30,
  backoff: (attempt) => Math.random() * Math.min(10 * 2 ** attempt, 500),
};

/** Waits as long as the policy says after an attempt. */
export const backOff = (attempt: number, { backoff }: Pick<RetryPolicy, "backoff"> = retryPolicy): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, backoff(attempt)));
