import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedFilesVariable } from "./support/checks/failed-files.ts";

/**
 * Runs Vitest with these arguments, options as `--name=value`, and returns its exit status. In CI, files in which a case fails run
 * once more, one after the other and on a new host: what a failed attempt leaves in a page or an organization may make another
 * attempt there fail, too.
 */
export async function runVitest(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  if (!env.CI) return vitest(args, env);
  const folder = mkdtempSync(join(tmpdir(), "skein-results-"));
  try {
    const list = join(folder, "failed.json");
    const reporting = ["--reporter=default", "--reporter=./test/support/checks/failed-files.ts"];
    const status = await vitest([...args, ...reporting], { ...env, [failedFilesVariable]: list });
    const failed: string[] = status === 0 ? [] : JSON.parse(readFileSync(list, "utf8"));
    if (failed.length === 0) return status;
    console.error(`Files that run once more because a case failed:\n${failed.join("\n")}`);
    // A part (`--shard`) of these files would leave some out.
    const options = args.filter((arg) => arg.startsWith("-") && !arg.startsWith("--shard"));
    return await vitest([...options, "--maxWorkers=1", ...failed], env);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function vitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => child.once("error", fail).once("exit", (code) => done(code ?? 1)));
}

if (import.meta.main) process.exit(await runVitest(process.argv.slice(2)));
