import { type Finding, type SmokeOptions, smokeTest } from "./smoke-test.ts";

const labels: Record<Finding["outcome"], string> = { ok: "ok", slow: "SLOW", failed: "FAILED", skipped: "skipped" };

/** The number of characters before the detail in a line. */
const detailColumn = 41;

/** A finding as a line, followed by the advice if there is any. */
export function findingLine({ check, outcome, ms, detail, advice }: Finding): string {
  const duration = ms === undefined ? "" : `${Math.round(ms)} ms`;
  const line = `  ${labels[outcome].padEnd(9)} ${check.padEnd(17)} ${duration.padStart(9)}  ${detail}`;
  return advice ? `${line}\n${" ".repeat(detailColumn)}→ ${advice}` : line;
}

/** How many checks there were of each outcome, the worst first. */
export function summaryOf(findings: readonly Finding[]): string {
  const outcomes = ["failed", "slow", "skipped", "ok"] as const;
  const words = { failed: "failed", slow: "passed, but slowly", skipped: "skipped", ok: "passed" };
  const counts = outcomes.map((outcome) => [findings.filter((found) => found.outcome === outcome).length, outcome]);
  if (findings.every(({ outcome }) => outcome === "ok")) return `All ${findings.length} checks passed.`;
  return `${counts.flatMap(([count, outcome]) => (count ? `${count} ${words[outcome as keyof typeof words]}` : [])).join(", ")}.`;
}

/** Runs the smoke test and prints its findings; returns 0, or 1 if a check failed, as an exit status. */
export async function runSmokeTest(options: SmokeOptions): Promise<number> {
  console.log(`Smoke test of ${options.url}`);
  const findings = await smokeTest({ ...options, report: (finding) => console.log(findingLine(finding)) });
  console.log(summaryOf(findings));
  return findings.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}
