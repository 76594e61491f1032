import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Stand, targetOf } from "./stands.ts";
import type { Upgrade } from "./upgrade.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** The part of Vitest's report that is used. */
interface FileResult {
  name: string;
  message: string;
  status: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

/** Cases that failed at least once, each as a text: when, the file, the case and the start of its error. */
interface Troubles {
  failed: string[];
  /** Cases that passed at the second attempt. */
  retried: string[];
}

/** Runs Vitest with these arguments, with one worker for each emulator. */
export async function runSuite(
  args: readonly string[],
  when: string,
  stands: readonly Stand[],
  upgrades: readonly Upgrade[] = [],
): Promise<Troubles> {
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
  const results = resultsIn(report);
  const retried = results.flatMap((file) => troublesOf(file, "passed"));
  const failed = results.flatMap((file) => {
    const cases = troublesOf(file, "failed");
    return cases.length === 0 && file.status === "failed" ? [`${nameOf(file)}\n${file.message}`] : cases;
  });
  if (status !== 0 && failed.length === 0) failed.push(`vitest ended with ${status}, see its output above`);
  return {
    failed: failed.map((trouble) => `Failed ${when}: ${trouble}`),
    retried: retried.map((trouble) => `Passed at the second try ${when}: ${trouble}`),
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

/** A case that was retried keeps the errors of its first attempt. */
const troublesOf = (file: FileResult, status: "passed" | "failed") =>
  file.assertionResults
    .filter((result) => result.status === status && result.failureMessages.length > 0)
    .map(
      ({ fullName, failureMessages }) => `${nameOf(file)}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}`,
    );
