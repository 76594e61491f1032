import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs Vitest with these arguments, options as `--name=value`, and returns its exit status. In CI, files in which a case fails run
 * once more, one after the other and on a new host: what a failed attempt leaves in a page or an organization may make another
 * attempt there fail, too.
 */
export async function runVitest(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  if (!env.CI) return vitest(args, env);
  const folder = mkdtempSync(join(tmpdir(), "skein-results-"));
  try {
    const report = join(folder, "results.json");
    const reporting = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = await vitest([...args, ...reporting], env);
    if (status === 0) return 0;
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as { testResults: FileResult[] };
    const failed = testResults.filter((file) => file.status === "failed").map(({ name }) => name);
    // Something else failed, such as an error outside of all cases.
    if (failed.length === 0) return status;
    console.error(`Files that run once more because a case failed:\n${failed.join("\n")}`);
    const options = args.filter((arg) => arg.startsWith("-"));
    return await vitest([...options, "--maxWorkers=1", ...failed], env);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The part of Vitest's report that is used. */
interface FileResult {
  name: string;
  status: string;
}

function vitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => child.once("error", fail).once("exit", (code) => done(code ?? 1)));
}

if (import.meta.main) process.exit(await runVitest(process.argv.slice(2)));
