import { parentPort } from "node:worker_threads";
import { fitToBoxes, scaleDown, shrinkToBox } from "./decoding.ts";

/** The worker thread of `scaling.ts`, which handles one picture at a time. */

const operations = { scaleDown, fitToBoxes, shrinkToBox };
export type ScalingTasks = typeof operations;

export interface Task {
  id: number;
  operation: keyof ScalingTasks;
  content: Uint8Array;
  options: unknown;
}

export type Outcome = { id: number; result: unknown } | { id: number; error: unknown };

// Outside of a worker thread, such as in a test that imports this module, there is no parent port.
parentPort?.on("message", async ({ id, operation, content, options }: Task) => {
  const outcome: Outcome = await operations[operation](content, options as never).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error }),
  );
  parentPort?.postMessage(outcome);
});
