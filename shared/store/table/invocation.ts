import type { RequestRecord, Trace } from "../../base/observability/metrics.ts";
import { logRequest, withTrace } from "../../base/observability/trace.ts";
import { withRequestScope } from "./recent-writes.ts";
import { withDeadline } from "./time-limit.ts";

/** How an invocation ended, for the line that it logs. */
interface Outcome extends Omit<RequestRecord, keyof Trace | "durationMs"> {
  /** Whether it may have waited on purpose. */
  longPoll?: boolean | undefined;
}

/**
 * Runs one invocation of a function, of any kind: a request, a job, recurring work, or new entries of the log. Measures what it
 * costs, shares reads within it, stops it at `deadline` (UNIX milliseconds), and logs its outcome. `work` must handle its own errors.
 */
export async function invocation<T>(
  work: () => Promise<T>,
  outcomeOf: (result: T) => Outcome,
  { deadline = Number.POSITIVE_INFINITY } = {},
): Promise<T> {
  const startedAt = performance.now();
  const { result, trace } = await withTrace(() => withDeadline(deadline, () => withRequestScope(work)));
  const { longPoll = false, ...outcome } = outcomeOf(result);
  logRequest({ ...outcome, durationMs: Math.round(performance.now() - startedAt), ...trace }, { longPoll });
  return result;
}
