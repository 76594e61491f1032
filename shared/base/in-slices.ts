import { setImmediate as untilOthersRan } from "node:timers/promises";

/** How long a computation may occupy the process, in milliseconds. On one machine all requests share it. */
const sliceMs = 3;

/** Calls `work` for each item in order, until it returns false; after each slice of time, other requests of the process run. */
export async function eachInSlices<T>(items: Iterable<T>, work: (item: T) => boolean | undefined): Promise<void> {
  let endsAt = performance.now() + sliceMs;
  for (const item of items) {
    if (work(item) === false) return;
    if (performance.now() < endsAt) continue;
    await untilOthersRan();
    endsAt = performance.now() + sliceMs;
  }
}

/** As `Array.map`, in slices of time. */
export async function mapInSlices<T, Result>(items: readonly T[], map: (item: T) => Result): Promise<Result[]> {
  const results: Result[] = [];
  await eachInSlices(items, (item) => {
    results.push(map(item));
    return true;
  });
  return results;
}
