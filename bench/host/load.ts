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
  const durationsMs: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let run = 0; run < cycle || performance.now() < end || run % cycle > 0; run++) {
        const requestStartedAt = performance.now();
        await request(connection, run);
        durationsMs.push(performance.now() - requestStartedAt);
        await undo?.(connection, run);
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
