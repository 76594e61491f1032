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
