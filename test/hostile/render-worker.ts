import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";
import { fc } from "../support/random.ts";
import { render, shapes } from "./message-shapes.ts";

/** Renders texts in a thread whose memory has a limit. Posts the bytes in use before, and then the number of texts. */

console.warn = () => {};
const samples = (numRuns: number, seed: number) =>
  Object.values(shapes).flatMap((shape) => fc.sample(shape, { numRuns, seed }));

for (const write of samples(2, 1)) await render(write(1000));
parentPort?.postMessage(getHeapStatistics().used_heap_size);
parentPort?.once("message", async ({ runs, seed, length }: { runs: number; seed: number; length: number }) => {
  const texts = samples(runs, seed).map((write) => write(length));
  for (const text of texts) await render(text);
  parentPort?.postMessage(texts.length);
});
