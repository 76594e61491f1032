import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Outcome, ScalingTasks, Task } from "./scaling-thread.ts";

/**
 * Scales pictures in a worker thread: a large one takes more than a second, during which a host on one machine must still serve
 * other requests. The thread starts with the first picture and does not keep the process alive.
 */

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

let thread: Worker | undefined;
const waiting = new Map<number, Waiting>();
let lastId = 0;

function start(): Worker {
  // Bundles contain the thread's module next to this one, with the same extension.
  const threadModule = `./scaling-thread${extname(import.meta.url)}`;
  const started = new Worker(new URL(threadModule, import.meta.url), { execArgv: [] });
  started.on("message", (outcome: Outcome) => {
    const asked = waiting.get(outcome.id);
    waiting.delete(outcome.id);
    if (waiting.size === 0) started.unref();
    if ("error" in outcome) asked?.reject(outcome.error);
    else asked?.resolve(outcome.result);
  });
  const end = (error: unknown) => {
    if (thread !== started) return;
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  started.once("error", end);
  started.once("exit", () => end(new Error("The thread that scales pictures has ended")));
  return started;
}

type How<A extends keyof ScalingTasks> = Parameters<ScalingTasks[A]>[1];
type Result<A extends keyof ScalingTasks> = Awaited<ReturnType<ScalingTasks[A]>>;

const inThread =
  <A extends keyof ScalingTasks>(act: A) =>
  (content: Uint8Array, how: How<A>): Promise<Result<A>> =>
    new Promise((resolve, reject) => {
      thread ??= start();
      thread.ref();
      const id = ++lastId;
      waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      thread.postMessage({ id, act, content, how } satisfies Task);
    });

/** Runs `scaleDown` of `decoding.ts` in the thread. */
export const scaleDown = inThread("scaleDown");

/** Runs `fitToBoxes` of `decoding.ts` in the thread. */
export const fitToBoxes = inThread("fitToBoxes");
