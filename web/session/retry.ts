import { ApiFailure } from "../base/api/client.ts";

/** When to repeat what failed for a temporary reason. */

/** Retries work that fails for a temporary reason, until `endSignal` is aborted. */
export async function retryOnceReachable<T>(
  work: () => Promise<T>,
  endSignal: AbortSignal,
  onFailure: () => void = () => {},
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (endSignal.aborted || !isTemporary(error)) throw error;
      onFailure();
      await pause(retryDelayMs(error, failures), endSignal);
      if (endSignal.aborted) throw error;
    }
  }
}

const isTemporary = (error: unknown) =>
  error instanceof ApiFailure && (error.code === "NETWORK" || error.status === 429 || error.status >= 500);

/** Exponential back-off with jitter; at least the server's `Retry-After`. */
export const retryDelayMs = (error: unknown, failures: number) =>
  Math.max(
    error instanceof ApiFailure && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : 0,
    Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2),
  );

/** Resolves after a time, at once when `signal` is aborted, or when the browser is online again. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const waiting = new AbortController();
    const wake = () => {
      waiting.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const options = { signal: waiting.signal };
    signal.addEventListener("abort", wake, options);
    // Retries at once when the network is back, for example after the computer was suspended.
    addEventListener("online", wake, options);
  });
