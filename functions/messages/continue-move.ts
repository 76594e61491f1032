import { worker } from "../../shared/jobs/worker.ts";
import { continueMessageMove } from "../../shared/messages/move-jobs.ts";
import { resumeMove } from "../../shared/messages/resume-move.ts";

/** Finishes moves of many messages whose requests died or ran out of time. */
export const handler = worker(
  { job: continueMessageMove, attempts: 10, timeoutSeconds: 300, batchSize: 1, uses: { table: "readWrite" } },
  async ({ move_id }) => resumeMove(move_id),
);
