import { parentPort } from "node:worker_threads";
import { fitToBoxes, scaleDown } from "./decoding.ts";

/** The worker thread of `scaling.ts`, which handles one picture at a time. */

const acts = { scaleDown, fitToBoxes };
export type ScalingTasks = typeof acts;

export interface Task {
  id: number;
  act: keyof ScalingTasks;
  content: Uint8Array;
  how: unknown;
}

export type Outcome = { id: number; result: unknown } | { id: number; error: unknown };

// Outside of a worker thread, such as in a test that imports this module, there is no parent port.
parentPort?.on("message", async ({ id, act, content, how }: Task) => {
  const outcome: Outcome = await acts[act](content, how as never).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error }),
  );
  parentPort?.postMessage(outcome);
});
