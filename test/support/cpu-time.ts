import { readdirSync, readFileSync } from "node:fs";

/**
 * Runs `work` and returns its result and the processor time that this process used meanwhile, all threads included. Unlike
 * elapsed time, it does not grow when other programs keep the machine busy.
 */
export async function withCpuTime<T>(work: () => T | Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { result, cpuMs: (user + system) / 1000 };
}

/** The processor time that another process of this machine has used, all its threads included, in milliseconds. */
export function cpuMsOf(pid: number): number {
  // `schedstat` counts nanoseconds; a process's `stat` counts hundredths of a second.
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000;
}
