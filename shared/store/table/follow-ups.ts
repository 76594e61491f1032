import { describeError } from "../../base/observability/describe-error.ts";
import type { Write } from "./writes.ts";

/** Work that follows a change, such as a job. It starts once the change's transaction is committed, and never without it. */
export interface FollowUp {
  /** Names the work in the log when it could not be started. */
  name: string;
  /**
   * Part of the transaction, so that a sweep finds the work if the function dies before it has started. Absent: a sweep finds it by
   * what the change itself writes.
   */
  write?: Write;
  start(): Promise<void>;
}

export const followUpWrites = (followUps: readonly FollowUp[]): Write[] =>
  followUps.flatMap(({ write }) => write ?? []);

/** Starts what follows a committed change, at once. Never throws, as the change is made: a sweep starts what failed here. */
export async function startFollowUps(followUps: readonly FollowUp[]): Promise<void> {
  await Promise.all(
    followUps.map(async ({ name, start }) => {
      try {
        await start();
      } catch (error) {
        console.error(JSON.stringify({ leftToSweep: name, error: describeError(error) }));
      }
    }),
  );
}
