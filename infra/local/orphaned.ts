/** How often a process checks whether its parent still runs. */
const pollIntervalMs = 500;

/**
 * Calls `end` once when the `run.mjs` that started this program has ended, which after `kill -9` only polling shows. Does
 * nothing in a program that was started in another way.
 */
export function whenOrphaned(end: () => void): void {
  const parent = Number(process.env.SKEIN_RUN_PID);
  if (!parent || (process.ppid !== parent && isRunning(parent))) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, pollIntervalMs);
  timer.unref();
}

/** Whether there is a process with this ID, also one of somebody else. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
