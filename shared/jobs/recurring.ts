import type { Service } from "../limits.ts";
import { describeError } from "../observability/describe-error.ts";
import { logRequest, withTrace } from "../observability/trace.ts";
import { withRequestScope } from "../store/table/recent-changes.ts";
import type { Uses } from "../uses.ts";

export interface RecurringSpec {
  /** The name of the work in logs. */
  work: string;
  /** How often EventBridge Scheduler runs the function. */
  rate: "1 minute" | "5 minutes" | "1 hour" | "1 day";
  /** The function's time limit in seconds. Default 30. */
  timeoutSeconds?: number;
  /** Deploys the function only in fleets with one of these services. */
  serves?: readonly Service[];
  /** Deploys the function only in fleets with this waiting strategy. */
  waiting?: "wake-up-queue";
  uses: Uses;
}

/** The schedule's payload: the ID of the run. */
export interface RecurringEvent {
  id: string;
}

/** The schedule's input, in which EventBridge Scheduler replaces the placeholder with the run's ID. */
export const recurringInput = '{"id":"<aws.scheduler.execution-id>"}';

/**
 * A Lambda handler for recurring work, with its declaration. The schedule invokes the function directly, because polling a
 * queue all month would cost money. Lambda retries a failed run twice; after that the next run does the work.
 */
export function recurring(spec: RecurringSpec, run: () => Promise<void>) {
  const handler = async ({ id }: RecurringEvent): Promise<void> => {
    const startedAt = performance.now();
    const { result: error, trace } = await withTrace(async () => {
      try {
        return void (await withRequestScope(run));
      } catch (error) {
        console.error(JSON.stringify({ requestId: id, work: spec.work, error: describeError(error) }));
        return error;
      }
    });
    const durationMs = Math.round(performance.now() - startedAt);
    const status = error === undefined ? 200 : 500;
    logRequest({ requestId: id, endpoint: `job ${spec.work}`, status, durationMs, ...trace });
    // Lambda writes the thrown error to its output, and an AWS error message could contain users' content.
    if (error !== undefined) throw new Error(`${spec.work} failed; the function's output has the error`);
  };
  return Object.assign(handler, { kind: "recurring" as const, spec });
}
