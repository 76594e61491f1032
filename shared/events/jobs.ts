import { jobKind } from "../jobs/queues.ts";

/** Removes the bells of event queues that are no more. */
export const sweepBellsJob = jobKind("bell-sweeps", {});
