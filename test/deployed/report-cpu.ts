import { existsSync, readFileSync } from "node:fs";

/**
 * Loaded before a program, has it print at its end how many seconds of processor time it has taken, with the child processes that still
 * run, such as esbuild's.
 */

/** The unit of /proc, on every platform of Linux. */
const ticksPerSecond = 100;

function secondsOf(pid: string): number {
  // "42 (esbuild) S ...": the 14th and 15th fields are the time in user and in system mode.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

process.once("exit", () => {
  const { user, system } = process.cpuUsage();
  const list = `/proc/self/task/${process.pid}/children`;
  const children = existsSync(list) ? readFileSync(list, "utf8").split(" ").filter(Boolean) : [];
  const seconds = children.map(secondsOf).reduce((sum, one) => sum + one, (user + system) / 1e6);
  console.log(`processor time: ${seconds.toFixed(1)} s, with ${children.length} child processes`);
});
