import type { Service } from "../../base/limits.ts";
import type { Uses } from "../../base/uses.ts";
import { runInBackground } from "./background.ts";

export interface RecurringSpec {
  work: string;
  /** How often EventBridge Scheduler runs the function. */
  rate: "1 minute" | "5 minutes" | "1 hour" | "1 day";
  /** The function's time limit in seconds. Default 30. */
  timeoutSeconds?: number;
  /** The memory that the function needs, if more than the setting, and its space for temporary files, in MB. */
  memoryMb?: number;
  temporaryMb?: number;
  /** Deploys the function only in fleets with one of these services. */
  serves?: readonly Service[];
  /** A failed run is only counted, by Lambda's metric Errors, on which there is an alarm; it is not repeated or dead-lettered. */
  countsFailures?: true;
  /** Deploys the function only in fleets with this waiting strategy. */
  waiting?: "wake-up-queue";
  uses: Uses;
}

/** The schedule's payload: the ID of the run. */
export interface RecurringEvent {
  id: string;
}

/** The environment variable with the ARN of recurring work's function. */
export const functionArnVariable = (work: string) => `FUNCTION_ARN_${work.toUpperCase().replaceAll("-", "_")}`;

/** The schedule's input, in which EventBridge Scheduler replaces the placeholder with the run's ID. */
export const recurringInput = '{"id":"<aws.scheduler.execution-id>"}';

/**
 * A Lambda handler for recurring work, with its declaration. The schedule invokes the function directly, because polling a
 * queue all month would cost money. Lambda retries a failed run twice, unless it is only counted; after that the next run does
 * the work.
 */
export function recurring(spec: RecurringSpec, run: () => Promise<void>) {
  const handler = ({ id }: RecurringEvent): Promise<void> => runInBackground(spec.work, id, run);
  return Object.assign(handler, { kind: "recurring" as const, spec });
}
