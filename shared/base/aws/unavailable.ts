/** An operation gave up after its last attempt, and may succeed later. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/** AWS refused the call because of its load or a concurrent call: an error's name, or the reason for canceling a transaction. */
const refusal =
  /Throttl|^ProvisionedThroughputExceeded|^RequestLimitExceeded|^TransactionInProgress|^TransactionConflict|^TooManyRequests|^SlowDown/;
const networkFailure = /^(ECONN(RESET|REFUSED|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

interface AwsError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
  CancellationReasons?: readonly { Code?: string }[];
}

/** Whether AWS refused the call because of its load, so that nothing was done, and a later call may succeed. */
export function isThrottled(error: unknown): boolean {
  const { name = "", CancellationReasons: reasons } = (error ?? {}) as Partial<AwsError>;
  if (name !== "TransactionCanceledException") return refusal.test(name);
  return (reasons ?? []).every(({ Code = "None" }) => Code === "None" || refusal.test(Code));
}

/**
 * Whether an error that outlasted all retries is temporary: throttling, a time-out, or an internal error of AWS. A call that
 * ended without a reply may have taken effect.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof Unavailable || isThrottled(error)) return true;
  const { name = "", code = "", $metadata } = (error ?? {}) as Partial<AwsError>;
  const { httpStatusCode = 0 } = $metadata ?? {};
  return (
    httpStatusCode >= 500 ||
    /^(TimeoutError|AbortError|RequestTimeout|InternalServer)/.test(name) ||
    networkFailure.test(code)
  );
}
