import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Knows the address of the host that a worker's cases call. */
const target = join("test", "support", "target.ts");

/** Whether a file of `test` imports what knows the host's address, itself or through other files of `test`. */
function callsHost(file: string, seen = new Set<string>()): boolean {
  if (file === target) return true;
  if (seen.has(file) || !file.startsWith("test")) return false;
  seen.add(file);
  return [...readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+\.ts)"/g)].some(([, path = ""]) =>
    callsHost(join(dirname(file), path), seen),
  );
}

/**
 * Of the test files that match, those that call no host: they test functions in this process, of which another host, a fleet or a
 * lagging table changes nothing.
 */
export const withoutHost = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern)).filter((file) => !callsHost(file));
