/** How soon a process notices that its parent is gone. */
const lookMs = 500;

/**
 * Calls `end` once when the `run.mjs` that started this program is gone: a process that was killed with `kill -9` cannot
 * say so. A program that was started in another way is left alone.
 */
export function whenOrphaned(end: () => void): void {
  const parent = Number(process.env.SKEIN_RUN_PID);
  if (!parent || (process.ppid !== parent && isRunning(parent))) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, lookMs);
  timer.unref();
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
