import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What a program of this folder prints as its last line of JSON: a stage of its own needs a process of its own. */
export async function inProcess(program: string, ...args: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", `bench/${program}`, ...args],
    { cwd: new URL("..", import.meta.url).pathname, maxBuffer: 10_000_000 },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}
