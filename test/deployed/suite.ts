import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestEnvironment, targetOf } from "./test-environments.ts";
import type { Upgrade } from "./upgrade.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** The part of Vitest's report that is used. */
interface FileResult {
  name: string;
  message: string;
  status: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

/** Cases that failed at least once, each formatted as text: the phase, the file, the case and the start of its error. */
interface FailedCases {
  failed: string[];
  /** Cases that passed on the second attempt. */
  retried: string[];
}

/**
 * Runs Vitest with these arguments, with one worker for each test environment. `phase` appears in the reported failures.
 */
export async function runSuite(
  args: readonly string[],
  phase: string,
  environments: readonly TestEnvironment[],
  upgrades: readonly Upgrade[] = [],
): Promise<FailedCases> {
  const report = join(root, ".cache", "deployed-suite.json");
  rmSync(report, { force: true });
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporting = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const targets = environments.map((environment, index) => targetOf(environment, upgrades[index]));
  const child = spawn(
    process.execPath,
    [program, "run", "--config", "test/vitest.deployed.config.ts", ...reporting, ...args],
    { cwd: root, stdio: "inherit", env: { ...process.env, SKEIN_DEPLOYED: JSON.stringify(targets) } },
  );
  const status = await new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
  const results = resultsIn(report);
  const retried = results.flatMap((file) => failuresOf(file, "passed"));
  const failed = results.flatMap((file) => {
    const cases = failuresOf(file, "failed");
    return cases.length === 0 && file.status === "failed" ? [`${nameOf(file)}\n${file.message}`] : cases;
  });
  if (status !== 0 && failed.length === 0) failed.push(`Vitest exited with status ${status}; see its output above`);
  return {
    failed: failed.map((failure) => `Failed ${phase}: ${failure}`),
    retried: retried.map((failure) => `Passed on the second attempt ${phase}: ${failure}`),
  };
}

function resultsIn(report: string): FileResult[] {
  try {
    return (JSON.parse(readFileSync(report, "utf8")) as { testResults: FileResult[] }).testResults;
  } catch {
    return [];
  }
}

const nameOf = ({ name }: FileResult) => name.replace(`${root}/`, "");

/**
 * The cases that ended with `status` after at least one failed attempt: a retried case keeps the errors of its first
 * attempt.
 */
const failuresOf = (file: FileResult, status: "passed" | "failed") =>
  file.assertionResults
    .filter((result) => result.status === status && result.failureMessages.length > 0)
    .map(
      ({ fullName, failureMessages }) => `${nameOf(file)}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}`,
    );
