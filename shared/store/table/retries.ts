/** How often, and after what delays, an operation is retried. */
export interface RetryPolicy {
  attempts: number;
  /** Milliseconds to wait after a failed attempt; the first attempt is 1. */
  backoff(attempt: number): number;
}

/**
 * Exponential back-off with full jitter. All attempts together wait 6 seconds on average and 13 at most, which fits into a
 * request.
 */
export const retryPolicy: RetryPolicy = {
  attempts: 30,
  backoff: (attempt) => Math.random() * Math.min(10 * 2 ** attempt, 500),
};

/** Waits after a failed attempt. */
export const backOff = (attempt: number, { backoff }: Pick<RetryPolicy, "backoff"> = retryPolicy): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, backoff(attempt)));
