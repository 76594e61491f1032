import { randomUUID } from "node:crypto";
import { observeAwsCalls } from "../../shared/aws/observe.ts";
import { type RetryPolicy, retryThrottled } from "../../shared/store/table/retries.ts";

/** A quarter of an hour, in which a table whose write units are limited (`maxWriteUnits`) takes what one call wants. */
const patient: RetryPolicy = {
  attempts: 200,
  backoff: (attempt) => Math.random() * Math.min(20 * 2 ** attempt, 10_000),
};

/**
 * Makes this process wait when the table throttles, for longer than requests can. An import writes faster than a small limit
 * allows, and nobody waits for it.
 */
export function waitOutThrottling(): () => void {
  return observeAwsCalls((call, proceed) =>
    call.client === "DynamoDBClient"
      ? retryThrottled(async () => {
          try {
            return await proceed();
          } catch (error) {
            // Nothing was written, so that the next attempt is a new transaction.
            if ((error as Error).name === "TransactionCanceledException") call.input.ClientRequestToken = randomUUID();
            throw error;
          }
        }, patient)
      : proceed(),
  );
}
