/** The requests of a load run. */
export interface LoadRun {
  seconds: number;
  /** The milliseconds of each request. */
  tookMs: number[];
}

/** The result of one or several load runs. */
export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

type RunRequest = (connection: number, run: number) => Promise<void>;

interface LoadOptions {
  /** Each connection stops after a multiple of this many runs, and not before the first. */
  cycle?: number;
  /** Runs after each request, outside the measured time. */
  undo?: RunRequest | undefined;
}

/** Keeps `connections` requests in flight for some seconds; `request` gets the number of its connection and of its run. */
export async function load(
  connections: number,
  seconds: number,
  request: RunRequest,
  { cycle = 1, undo }: LoadOptions = {},
): Promise<LoadRun> {
  const tookMs: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let run = 0; run < cycle || performance.now() < end || run % cycle > 0; run++) {
        const at = performance.now();
        await request(connection, run);
        tookMs.push(performance.now() - at);
        await undo?.(connection, run);
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, tookMs };
}

/**
 * The result of all runs together. Percentiles are those of all requests: a run in which one request waited long has few
 * requests, so that the mean of the runs' percentiles would count that one as much as the many of another run.
 */
export function summarize(runs: readonly LoadRun[]): LoadResult {
  const tookMs = runs.flatMap((run) => run.tookMs);
  const seconds = runs.reduce((total, run) => total + run.seconds, 0);
  return { requests: tookMs.length, requestsPerSecond: tookMs.length / seconds, ...percentiles(tookMs) };
}

export function percentiles(took: readonly number[]): Pick<LoadResult, "p50Ms" | "p99Ms"> {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
