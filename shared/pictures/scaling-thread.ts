import { parentPort } from "node:worker_threads";
import { fitted, scaledDown } from "./decoding.ts";

/** What runs in the thread of `scaling.ts`, which stands beside this file: one picture at a time. */

const acts = { scaledDown, fitted };
export type ScalingTasks = typeof acts;

export interface Task {
  id: number;
  act: keyof ScalingTasks;
  content: Uint8Array;
  how: unknown;
}

export type Outcome = { id: number; result: unknown } | { id: number; error: unknown };

// Elsewhere than in a thread there is nobody to listen to.
parentPort?.on("message", async ({ id, act, content, how }: Task) => {
  const outcome: Outcome = await acts[act](content, how as never).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error }),
  );
  parentPort?.postMessage(outcome);
});
