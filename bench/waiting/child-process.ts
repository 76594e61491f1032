import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program of this folder and returns its last line of output as JSON. Each bench host needs its own process. */
export async function runInChildProcess(program: string, ...args: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", `bench/waiting/${program}`, ...args],
    { cwd: new URL("../..", import.meta.url).pathname, maxBuffer: 10_000_000 },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}
