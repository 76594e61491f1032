import { describeError } from "../describe-error.ts";
import type { Service } from "../settings.ts";
import { logRequest, traced } from "../trace.ts";
import type { Uses } from "../uses.ts";

export interface RecurringSpec {
  /** The name of the work, as logs say it. */
  work: string;
  /** How often EventBridge Scheduler runs the function. */
  rate: "1 minute" | "5 minutes" | "1 hour" | "1 day";
  /** The function's time limit in seconds. Default 30. */
  timeoutSeconds?: number;
  /** The work is for these services alone: it does not recur where none of them is set up. */
  serves?: readonly Service[];
  /** What the fleet must wait by for the function to be there. */
  waiting?: "bell";
  uses: Uses;
}

/** What the schedule hands to the function: the ID of the run. */
export interface RecurringEvent {
  id: string;
}

/** The schedule's input, in which the scheduler puts the run's ID. */
export const recurringInput = '{"id":"<aws.scheduler.execution-id>"}';

/**
 * A Lambda handler for work that recurs and that nobody else asks for, with its declaration. The schedule runs it without
 * a queue, which Lambda would have to ask for jobs all month long. A run that throws is tried twice more (Lambda's own
 * retries), and what fails then is done by the next run.
 */
export function recurring(spec: RecurringSpec, run: () => Promise<void>) {
  const handler = async ({ id }: RecurringEvent): Promise<void> => {
    const startedAt = performance.now();
    const { result: error, trace } = await traced(async () => {
      try {
        return void (await run());
      } catch (error) {
        console.error(JSON.stringify({ requestId: id, work: spec.work, error: describeError(error) }));
        return error;
      }
    });
    const durationMs = Math.round(performance.now() - startedAt);
    const status = error === undefined ? 200 : 500;
    logRequest({ requestId: id, endpoint: `job ${spec.work}`, status, durationMs, ...trace });
    // Lambda writes down what is thrown, and what AWS answered could repeat what people wrote.
    if (error !== undefined) throw new Error(`${spec.work} failed; the log says why`);
  };
  return Object.assign(handler, { kind: "recurring" as const, spec });
}
