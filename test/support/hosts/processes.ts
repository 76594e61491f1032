import { readdirSync, readFileSync } from "node:fs";

/** A running process, from /proc. */
export interface RunningProcess {
  pid: number;
  command: string;
}

/**
 * The environment of a program that gets none of the variables of the host under test. It finds the modules that others have
 * compiled (run.mjs), so that it starts in two thirds of the time.
 */
export const bareEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The process has ended meanwhile.
    return "";
  }
};

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();

export const isRunning = (pid: number): boolean => commandOf(pid) !== "";

/** All descendants of a process. */
export function descendantsOf(pid: number): RunningProcess[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    // The parent's number is the second field after the command's name, which may hold anything.
    .filter((child) => Number(read(`/proc/${child}/stat`).split(") ").at(-1)?.split(" ")[1]) === pid);
  return children.flatMap((child) => [{ pid: child, command: commandOf(child) }, ...descendantsOf(child)]);
}
