/** The result of a load run. */
export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Keeps `connections` requests in flight for some seconds; `one` gets the number of its connection and of its run. Each
 * connection stops after a multiple of `cycle` runs.
 */
export async function load(
  connections: number,
  seconds: number,
  one: (connection: number, time: number) => Promise<void>,
  cycle = 1,
): Promise<LoadResult> {
  const took: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let time = 0; performance.now() < end || time % cycle > 0; time++) {
        const at = performance.now();
        await one(connection, time);
        took.push(performance.now() - at);
      }
    }),
  );
  const requests = took.length;
  return { requests, requestsPerSecond: (requests / (performance.now() - startedAt)) * 1000, ...percentiles(took) };
}

export function percentiles(took: readonly number[]): Pick<LoadResult, "p50Ms" | "p99Ms"> {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
