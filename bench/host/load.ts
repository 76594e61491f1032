/** The requests of a load run. */
export interface LoadRun {
  seconds: number;
  /** How long each request took. */
  durationsMs: number[];
}

/** The result of one or several load runs. */
export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Gets the number of its connection, and the index of the request on that connection. */
type SendRequest = (connection: number, index: number) => Promise<void>;

interface LoadOptions {
  /** Each connection makes a multiple of this many requests, and at least as many. */
  cycle?: number;
}

/** Keeps `connections` requests in flight for some seconds. */
export async function load(
  connections: number,
  seconds: number,
  request: SendRequest,
  { cycle = 1 }: LoadOptions = {},
): Promise<LoadRun> {
  const durationsMs: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let index = 0; index < cycle || performance.now() < end || index % cycle > 0; index++) {
        const requestStartedAt = performance.now();
        await request(connection, index);
        durationsMs.push(performance.now() - requestStartedAt);
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, durationsMs };
}

/**
 * The result of all runs together. Percentiles are those of all requests. The mean of the runs' percentiles would overstate a
 * request that waited long: its run has few requests, but would count as much as a run with many.
 */
export function summarize(runs: readonly LoadRun[]): LoadResult {
  const durationsMs = runs.flatMap((run) => run.durationsMs);
  const seconds = runs.reduce((total, run) => total + run.seconds, 0);
  return { requests: durationsMs.length, requestsPerSecond: durationsMs.length / seconds, ...percentiles(durationsMs) };
}

export function percentiles(durationsMs: readonly number[]): Pick<LoadResult, "p50Ms" | "p99Ms"> {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
