import { readFileSync } from "node:fs";
import { isRunning } from "../../shared/base/is-running.ts";

/** How often a process checks whether those that started it still run. */
const pollIntervalMs = 500;

/**
 * Calls `end` once when a process that started this program has ended: `run.mjs`, npm, or the shell between them. npm passes signals
 * on, but a `kill -9` tells nobody, which only polling shows. Does nothing in a program that was started in another way.
 */
export function whenOrphaned(end: () => void): void {
  const startedBy = (process.env.SKEIN_STARTED_BY ?? "").split(" ").map(Number);
  const [parent] = startedBy;
  if (!parent || (process.ppid !== parent && isRunning(parent))) return;
  const timer = setInterval(() => {
    if (startedBy.every((pid, index) => isParent(pid, startedBy[index - 1]))) return;
    clearInterval(timer);
    end();
  }, pollIntervalMs);
  timer.unref();
}

/** Whether a process is the parent of another one, or of this one. Where the system does not tell, it counts as such. */
function isParent(pid: number, child: number | undefined): boolean {
  if (child === undefined) return process.ppid === pid;
  try {
    // "42 (sh) S 41 ...": number, command, state, parent.
    return readFileSync(`/proc/${child}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1] === String(pid);
  } catch {
    return true;
  }
}
