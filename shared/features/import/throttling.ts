import { randomUUID } from "node:crypto";
import { isThrottled, Unavailable } from "../../base/aws/unavailable.ts";
import { observeTableCalls } from "../../base/table-port/observe.ts";
import { isCanceled } from "../../base/table-port/port.ts";
import { retryThrottled } from "../../store/table/retries.ts";

/** Enough for a table whose write units are limited (`maxWriteUnits`) to take what one call wants. */
const maxWaitMs = 15 * 60_000;

/**
 * Makes this process wait when the table throttles, for longer than requests can. An import writes faster than a small limit
 * allows, and nobody waits for it. Calls that have deadlines of their own, those of the log, wait no longer than these.
 */
export function waitOutThrottling(waitMs = maxWaitMs): () => void {
  return observeTableCalls(async (call, proceed) => {
    const attempt = async () => {
      try {
        return await proceed();
      } catch (error) {
        // Nothing was written, so that the next attempt is a new transaction.
        if (call.name === "transact" && isCanceled(error)) call.request.token = randomUUID();
        throw error;
      }
    };
    const policy = {
      attempts: Number.POSITIVE_INFINITY,
      backoff: (failed: number) => Math.random() * Math.min(20 * 2 ** failed, 10_000),
      deadline: Date.now() + waitMs,
    };
    try {
      return await retryThrottled(attempt, policy);
    } catch (error) {
      // Not as an error that tells of throttling, for which the caller would wait as long again.
      if (isThrottled(error) || (error as Error).name === "AbortError")
        throw new Unavailable("The table throttles, or answers too slowly. Repeat the command later: it continues", {
          cause: error,
        });
      throw error;
    }
  });
}
