import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Outcome, ScalingTasks, Task } from "./scaling-thread.ts";

/**
 * Pictures made smaller in a thread of their own, since the largest keeps a processor busy for more than a second: on one
 * machine everybody else is served meanwhile. The thread starts with the first picture and keeps no process from ending.
 */

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

let thread: Worker | undefined;
const waiting = new Map<number, Waiting>();
let lastId = 0;

function start(): Worker {
  // As it stands here, so it is put into the bundles: beside this file, with the same ending.
  const beside = `./scaling-thread${extname(import.meta.url)}`;
  const started = new Worker(new URL(beside, import.meta.url), { execArgv: [] });
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

/** `scaledDown` of `decoding.ts`, in the thread. */
export const scaledDown = inThread("scaledDown");

/** `fitted` of `decoding.ts`, in the thread. */
export const fitted = inThread("fitted");
