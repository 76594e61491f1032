import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Stand, targetOf } from "./stands.ts";
import type { Upgrade } from "./upgrade.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** What is used of vitest's report in JSON. */
interface Report {
  testResults: {
    name: string;
    message?: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/**
 * Runs vitest with these arguments over the stands, a worker for each, and resolves with what failed: `when`, the file,
 * the case and the beginning of its error, or of what went wrong with the file or with vitest itself.
 */
export async function runSuite(
  args: readonly string[],
  when: string,
  stands: readonly Stand[],
  upgrades: readonly Upgrade[] = [],
): Promise<string[]> {
  const report = join(root, ".cache", "deployed-suite.json");
  rmSync(report, { force: true });
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporting = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const targets = stands.map((stand, at) => targetOf(stand, upgrades[at]));
  const child = spawn(
    process.execPath,
    [program, "run", "--config", "vitest.deployed.config.ts", ...reporting, ...args],
    { cwd: root, stdio: "inherit", env: { ...process.env, SKEIN_DEPLOYED: JSON.stringify(targets) } },
  );
  const status = await new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
  if (status === 0) return [];
  const failed = failuresOf(report).map((failure) => `Failed ${when}: ${failure}`);
  return failed.length > 0 ? failed : [`Failed ${when}: vitest ended with ${status}, see its output above`];
}

function failuresOf(report: string): string[] {
  let results: Report["testResults"];
  try {
    results = (JSON.parse(readFileSync(report, "utf8")) as Report).testResults;
  } catch {
    return [];
  }
  return results.flatMap(({ name, message, status, assertionResults }) => {
    const file = name.replace(`${root}/`, "");
    const cases = assertionResults
      .filter((result) => result.status === "failed")
      .map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}`);
    return cases.length === 0 && status === "failed" ? [`${file}\n${message ?? ""}`] : cases;
  });
}
