import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Outcome, ScalingTasks, Task } from "./scaling-thread.ts";

/**
 * Scales pictures in a worker thread: a large one takes more than a second, during which a host on one machine must still serve
 * other requests. The thread starts with the first picture and does not keep the process alive.
 */

interface PendingTask {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

let thread: Worker | undefined;
const pendingTasks = new Map<number, PendingTask>();
let lastId = 0;

function start(): Worker {
  // Bundles contain the thread's module next to this one, with the same extension.
  const threadModule = `./scaling-thread${extname(import.meta.url)}`;
  const worker = new Worker(new URL(threadModule, import.meta.url), { execArgv: [] });
  worker.on("message", (outcome: Outcome) => {
    const task = pendingTasks.get(outcome.id);
    pendingTasks.delete(outcome.id);
    if (pendingTasks.size === 0) worker.unref();
    if ("error" in outcome) task?.reject(outcome.error);
    else task?.resolve(outcome.result);
  });
  const end = (error: unknown) => {
    if (thread !== worker) return;
    thread = undefined;
    for (const { reject } of pendingTasks.values()) reject(error);
    pendingTasks.clear();
  };
  worker.once("error", end);
  worker.once("exit", () => end(new Error("The picture-scaling thread exited")));
  return worker;
}

type Options<A extends keyof ScalingTasks> = Parameters<ScalingTasks[A]>[1];
type Result<A extends keyof ScalingTasks> = Awaited<ReturnType<ScalingTasks[A]>>;

const inThread =
  <A extends keyof ScalingTasks>(operation: A) =>
  (content: Uint8Array, options: Options<A>): Promise<Result<A>> =>
    new Promise((resolve, reject) => {
      thread ??= start();
      thread.ref();
      const id = ++lastId;
      pendingTasks.set(id, { resolve: resolve as PendingTask["resolve"], reject });
      thread.postMessage({ id, operation, content, options } satisfies Task);
    });

/** Runs `scaleDown` of `decoding.ts` in the thread. */
export const scaleDown = inThread("scaleDown");

/** Runs `fitToBoxes` of `decoding.ts` in the thread. */
export const fitToBoxes = inThread("fitToBoxes");

/** Runs `shrinkToBox` of `decoding.ts` in the thread. */
export const shrinkToBox = inThread("shrinkToBox");
